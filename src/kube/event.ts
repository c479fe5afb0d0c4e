import type { KubeObject } from '../api/kubernetes.ts';
import { microTime } from './micro-time.ts';

/** Something that happened to an object, in words for the people who look at it. */
export interface Occurrence {
  /** As read from the API server: apiVersion, kind, name and UID are used. */
  readonly regarding: KubeObject;
  readonly type: 'Normal' | 'Warning';
  /** Why, in CamelCase; at most 128 characters. */
  readonly reason: string;
  /** What was done, in CamelCase; at most 128 characters. */
  readonly action?: string;
  readonly note: string;
}

export interface ObjectReference {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

export type ReferringOccurrence = Omit<Occurrence, 'regarding'> & {
  readonly regarding: ObjectReference;
  /** Of the Event itself. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
};

export interface Reporter {
  /** A qualified name, as `daskwarden.dev/controller`. */
  readonly controller: string;
  /** The pod's name, or the host's. */
  readonly instance: string;
}

const DEFAULT_ACTION = 'Reconcile';
const LONGEST_NOTE_BYTES = 1024;
const LONGEST_IDENTIFIER = 128;
/** Leaves room for the suffix in the 253 characters of an object's name. */
const LONGEST_NAME_PREFIX = 230;

export interface EventObject extends KubeObject {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly eventTime: string;
  readonly type: string;
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly regarding: ObjectReference;
}

export function referenceTo({ apiVersion, kind, metadata }: KubeObject): ObjectReference {
  const { namespace, name = '', uid, resourceVersion } = metadata;
  return { apiVersion, kind, namespace, name, uid, resourceVersion };
}

/**
 * An events.k8s.io/v1 Event within the limits that the API server sets.
 * @param sequence tells two events of the same millisecond apart
 */
export function renderEvent(
  occurrence: ReferringOccurrence,
  reporter: Reporter,
  now: number,
  sequence: number,
): EventObject {
  const { regarding, type, reason, action, note, annotations } = occurrence;
  const prefix = regarding.name.slice(0, LONGEST_NAME_PREFIX).replace(/[.-]+$/, '');
  const suffix = (now * 1000 + (sequence % 1000)).toString(16);
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    // Events about cluster-scoped objects are only admitted in this namespace.
    metadata: {
      namespace: regarding.namespace ?? 'default',
      name: `${prefix}.${suffix}`,
      ...(annotations && { annotations }),
    },
    eventTime: microTime(now),
    type,
    reason: reason.slice(0, LONGEST_IDENTIFIER),
    action: (action ?? DEFAULT_ACTION).slice(0, LONGEST_IDENTIFIER),
    note: truncateBytes(note, LONGEST_NOTE_BYTES),
    reportingController: reporter.controller,
    reportingInstance: reporter.instance.slice(0, LONGEST_IDENTIFIER),
    regarding,
  };
}

/** The longest beginning of the text that has at most so many bytes in UTF-8; an ellipsis says that more was there. */
function truncateBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const ellipsis = '…';
  const room = limit - Buffer.byteLength(ellipsis);
  // `stream` leaves out a character that the cut went through.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, room), { stream: true }) + ellipsis;
}
