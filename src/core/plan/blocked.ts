import type { KubeObject } from '../../api/kubernetes.ts';
import { credentialsSecretName, schedulerPodName, serviceName } from '../../api/names.ts';
import { identityOf, isControlledBy, isOfPredecessor, type Identity } from '../render/owner.ts';
import type { ClusterEvent } from './action.ts';
import { takeCensus } from './census.ts';
import { no, yes, type Statement } from './conditions.ts';
import { countersOf } from './counters.ts';
import { findingsText } from './findings-text.ts';
import { limitedEvents, limitedStatements, WAITING } from './limited.ts';
import type { PlanInput } from './observed.ts';
import type { Plan } from './plan.ts';
import { statusOf } from './status.ts';

const CONFLICT_RETRY_MS = 5_000;
const PREDECESSOR_RETRY_MS = 1_000;
/** Room that is made is told at once; other limits, after a change of the configuration, are found by looking. */
const LIMITS_RETRY_MS = 15_000;

/** What keeps a cluster from being worked on at all. */
interface Blocked {
  readonly reason: string;
  readonly message: string;
  /** Somebody has to do something about it; otherwise it is only waited for. */
  readonly isStalled: boolean;
  /** Milliseconds; undefined where an event will tell. */
  readonly retryMs: number | undefined;
}

/** A cluster that must not be worked on: touches nothing, and says why. Undefined where nothing is in the way. */
export function planBlocked(input: PlanInput): Plan | undefined {
  const blocked = blockedBy(input);
  return blocked === undefined ? undefined : withheld(input, blocked);
}

function blockedBy(input: PlanInput): Blocked | undefined {
  if (input.errors.length > 0) {
    const message = findingsText(input.errors);
    return { reason: 'InvalidSpec', message, isStalled: true, retryMs: undefined };
  }
  if (input.grant?.kind === 'waiting') {
    const { message } = input.grant;
    return { reason: WAITING, message, isStalled: false, retryMs: LIMITS_RETRY_MS };
  }
  const [taken, left] = [namesTaken(input), namesLeft(input)];
  if (taken.length > 0) {
    const message = `${taken.join(' and ')} of this namespace belongs to somebody else; remove it or give the cluster another name`;
    // A Secret that is in the way is not watched: it is looked for again.
    return { reason: 'NameConflict', message, isStalled: true, retryMs: CONFLICT_RETRY_MS };
  }
  if (left.length === 0) return undefined;
  const message = `waiting for the removal of ${left.join(' and ')} of an earlier cluster of this name`;
  return { reason: 'PredecessorTerminating', message, isStalled: false, retryMs: PREDECESSOR_RETRY_MS };
}

/** Objects of somebody else's that have names which this cluster needs. */
function namesTaken({ cluster, observed }: PlanInput): readonly string[] {
  const owner = identityOf(cluster);
  const { secret, service, pod } = childNames(owner);
  const isStrange = (object: KubeObject | undefined): boolean =>
    object !== undefined && !isControlledBy(object, owner.uid) && !isOfPredecessor(object, owner);
  const podTaken =
    isStrange(observed.schedulerPod) || observed.foreignPods.includes(schedulerPodName(owner.name));
  return [
    ...(observed.credentials.kind === 'foreign' ? [secret] : []),
    ...(isStrange(observed.service) ? [service] : []),
    ...(podTaken ? [pod] : []),
  ];
}

/** What a deleted cluster of this name still has. */
function namesLeft({ cluster, observed }: PlanInput): readonly string[] {
  const owner = identityOf(cluster);
  const { secret, service, pod } = childNames(owner);
  const isLeft = (object: KubeObject | undefined): boolean =>
    object !== undefined && isOfPredecessor(object, owner);
  return [
    ...(observed.credentials.kind === 'leftover' ? [secret] : []),
    ...(isLeft(observed.service) ? [service] : []),
    ...(isLeft(observed.schedulerPod) ? [pod] : []),
  ];
}

function childNames({ name }: Identity): Record<'secret' | 'service' | 'pod', string> {
  return {
    secret: `Secret '${credentialsSecretName(name)}'`,
    service: `Service '${serviceName(name)}'`,
    pod: `Pod '${schedulerPodName(name)}'`,
  };
}

/** Pods that already run go on. */
function withheld(input: PlanInput, { reason, message, isStalled, retryMs }: Blocked): Plan {
  const { cluster, now, settings } = input;
  const previous = cluster.status ?? {};
  const unknown = { status: 'Unknown', reason, message: 'not looked at' } as const;
  const statements: readonly Statement[] = [
    no('Ready', reason, message),
    isStalled ? no('Progressing', reason, message) : yes('Progressing', reason, message),
    isStalled ? yes('Stalled', reason, message) : no('Stalled', reason, message),
    { type: 'CredentialsReady', ...unknown },
    { type: 'SchedulerReady', ...unknown },
    { type: 'WorkersReady', ...unknown },
    ...limitedStatements(input),
  ];
  const { credentials: _name, ...status } = statusOf({
    cluster,
    installation: settings.installation,
    census: takeCensus(input.observed.pods, now),
    counters: countersOf(previous),
    phase: previous.phase ?? 'Pending',
    statements,
    message,
    termination: undefined,
    now,
  });
  const event: ClusterEvent = { type: 'Warning', reason, note: message };
  return {
    actions: [],
    // What was never made is not named: its absence would be taken for a loss.
    status: {
      ...status,
      ...(previous.credentials === undefined ? {} : { credentials: previous.credentials }),
    },
    statusFirst: false,
    events: [...(isStalled && previous.message !== message ? [event] : []), ...limitedEvents(input)],
    requeueAfterMs: retryMs,
  };
}
