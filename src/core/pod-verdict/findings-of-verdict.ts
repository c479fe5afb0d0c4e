import { FieldPath } from '../../api/field-path.ts';
import type { CauseReason, Finding } from '../findings.ts';
import type { PodSecurityLevel } from '../policy/policy.ts';
import { segmentsOfPodField } from '../render/gateway/pod-field.ts';
import { isObject } from '../structure/json.ts';
import { valueAt } from '../structure/place.ts';
import { UNKNOWN_FIELD } from '../structure/structural-finding.ts';
import type { JudgedPod } from './judged-pod.ts';
import type { KnownFields } from './known-fields.ts';
import { podSecurityFindings } from './pod-security.ts';
import type { PodFault, PodVerdict } from './verdict.ts';

export const POD_VALIDATION = 'pod-validation';
export const POD_WARNING = 'pod-warning';

/** What a verdict is told with. */
export interface Telling {
  /** The level of pod security that it was asked for. */
  readonly podSecurity: PodSecurityLevel;
  /** The release that the verdict speaks for: `1.36.3`. */
  readonly kubernetes: string;
  /** Of the API server, where it is known: a field that only the server knows is admitted, with a warning. */
  readonly known?: KnownFields | undefined;
}

/** Kubernetes' own words take the value of a field in full; nobody reads more of it than this. */
const LONGEST_MESSAGE = 1_000;

/** What Kubernetes says of a pod, at the places where the user wrote what it is about. */
export function findingsOfVerdict(pod: JudgedPod, verdict: PodVerdict, telling: Telling): readonly Finding[] {
  const { decode, strict = [], errors = [], warnings = [], podSecurity = [], more = 0 } = verdict;
  if (decode !== undefined) return [validation(pod, pod.path, `Invalid value: ${decode}`)];
  return [
    ...strict.map((text) => strictFinding(pod, text, telling)),
    ...errors.map((fault) => faultFinding(pod, fault)),
    ...(more === 0 ? [] : [validation(pod, pod.path, `${more} more findings are not listed`)]),
    ...podSecurity.flatMap((violation) => podSecurityFindings(pod, violation, telling.podSecurity)),
    ...warnings.map((text) => warningFinding(pod, text)),
  ];
}

/** The finding for one fault of a pod, as the API server reports it. */
export function faultFinding(pod: JudgedPod, { field, reason, message }: PodFault): Finding {
  const path = field === 'metadata.labels' ? placeOfLabel(pod, message) : pod.pathOf(field);
  return validation(pod, path, message, causeReason(reason));
}

function validation(
  { cluster }: JudgedPod,
  path: FieldPath,
  message: string,
  reason: CauseReason = 'FieldValueInvalid',
): Finding {
  // Two faults may be at one place; only the one that was there before is an old one.
  const value = [message, valueAt(cluster, path.keys().map(String))];
  return { rule: POD_VALIDATION, level: 'error', reason, path, value, message: shortened(message) };
}

const UNKNOWN = /^unknown field (?<path>".*")$/u;
const STRICT = /^(?<fault>\w+ field) (?<path>".*")$/u;

function strictFinding(pod: JudgedPod, text: string, { kubernetes, known }: Telling): Finding {
  const { fault = text, path: quoted = '""' } = STRICT.exec(text)?.groups ?? {};
  const field = quoted.slice(1, -1).replaceAll('\\"', '"');
  const path = pod.pathOf(field);
  const isServers = UNKNOWN.test(text) && known?.has(segmentsOfPodField(field)) === true;
  const finding = { rule: UNKNOWN_FIELD, reason: 'FieldValueInvalid', path, value: fault } as const;
  return isServers
    ? { ...finding, level: 'warning', message: newerField(kubernetes) }
    : { ...finding, level: 'error', message: `Invalid value: ${fault} of a pod` };
}

/** What is said of a field that the API server knows and the verdict's Kubernetes does not. */
export function newerField(kubernetes: string): string {
  return `known to the API server, but newer than Kubernetes ${kubernetes}: it is not checked`;
}

const WARNING = /^(?<field>(?:spec|metadata)[.[].*?): (?<message>.*)$/su;

function warningFinding(pod: JudgedPod, text: string): Finding {
  const { field, message = text } = WARNING.exec(text)?.groups ?? {};
  return {
    rule: POD_WARNING,
    level: 'warning',
    reason: 'FieldValueInvalid',
    path: field === undefined ? pod.path : pod.pathOf(field),
    value: message,
    message: shortened(message),
  };
}

/**
 * Kubernetes names a label by its key or its value alone. Those of the user's are in the template; ours have the names
 * of the cluster and of the Dask container.
 */
function placeOfLabel({ cluster, pod, pathOf }: JudgedPod, message: string): FieldPath {
  const path = pathOf('metadata.labels');
  const named = /^[\w ]+: "(?<value>.*?)": /su.exec(message)?.groups?.['value'];
  const labels = valueAt(cluster, path.keys().map(String));
  const isUsers = isObject(labels) && Object.entries(labels).flat().includes(named);
  if (named === undefined || isUsers) return path;
  const index = pod.spec.containers.findIndex(({ name }) => name === named);
  return index >= 0 ? pathOf(`spec.containers[${index}].name`) : FieldPath.of('metadata', 'name');
}

const REASONS: ReadonlySet<string> = new Set<CauseReason>([
  'FieldValueInvalid',
  'FieldValueRequired',
  'FieldValueDuplicate',
  'FieldValueNotSupported',
  'FieldValueForbidden',
  'FieldValueTypeInvalid',
]);

function causeReason(reason: string): CauseReason {
  return REASONS.has(reason) ? (reason as CauseReason) : 'FieldValueInvalid';
}

function shortened(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE).toWellFormed()}…`;
}
