import type { Status } from '../../api/kubernetes.ts';
import type { CauseReason, Finding } from '../findings.ts';
import { faultFinding } from './findings-of-verdict.ts';
import type { JudgedPod } from './judged-pod.ts';
import { podSecurityFindings } from './pod-security.ts';

/** What the API server answers to a create that it refuses. */
export type Refusal = Pick<Status, 'message' | 'reason' | 'details'>;

/**
 * What the API server said when it refused to create a pod, at the places where the user wrote what it is about. Where
 * it names no field (a quota, another webhook) its message stands at the template.
 */
export function findingsOfRefusal(pod: JudgedPod, refusal: Refusal): readonly Finding[] {
  const faults = faultsOfPod(pod, refusal);
  if (faults.length > 0) return faults;
  const named = causesOf(pod, refusal);
  if (named.length > 0) return named;
  const { message = '', reason = 'refused' } = refusal;
  return [ofTemplate(pod, 'FieldValueForbidden', message || reason)];
}

const INVALID = /^Pod ".*?" is invalid/su;
const UNDECODED = /cannot be handled as a Pod: (?<why>.*)$/su;

/**
 * The faults of the pod itself, in the words of admission: those of Kubernetes' own validation and of pod security.
 * None where the refusal is about anything else (a quota, a right, another webhook), which may pass.
 */
export function faultsOfPod(pod: JudgedPod, refusal: Refusal): readonly Finding[] {
  const { message = '', reason } = refusal;
  switch (reason) {
    case 'Invalid':
      return INVALID.test(message) ? causesOf(pod, refusal) : [];
    case 'BadRequest': {
      const why = UNDECODED.exec(message)?.groups?.['why'];
      return why === undefined ? [] : [ofTemplate(pod, 'FieldValueInvalid', `Invalid value: ${why}`)];
    }
    case 'Forbidden':
      return violationsOf(pod, message);
    default:
      return [];
  }
}

function causesOf(pod: JudgedPod, { details }: Refusal): readonly Finding[] {
  return (details?.causes ?? []).flatMap(({ field, reason = '', message = '' }) =>
    field === undefined ? [] : [faultFinding(pod, { field, reason, message })],
  );
}

const INSECURE = /^pods ".*?" is forbidden: violates PodSecurity "(?<level>\w+):[^"]*": (?<violations>.*)$/su;
/** `host namespaces (hostNetwork=true)`, or the reason alone. */
const VIOLATION = /(?<reason>[^(]+?)(?: \((?<detail>[^()]*)\))?(?:, |$)/gsu;

function violationsOf(pod: JudgedPod, message: string): readonly Finding[] {
  const { level = '', violations = '' } = INSECURE.exec(message)?.groups ?? {};
  if (violations === '') return [];
  const parts = [...violations.matchAll(VIOLATION)];
  // A text that cannot be taken apart is told as one.
  const isWhole = parts.map(([part]) => part).join('') === violations;
  const told = isWhole
    ? parts.map(({ groups = {} }) => ({ reason: groups['reason'] ?? '', message: groups['detail'] ?? '' }))
    : [{ reason: violations, message: '' }];
  return told.flatMap((violation) => podSecurityFindings(pod, violation, level));
}

function ofTemplate(pod: JudgedPod, reason: CauseReason, message: string): Finding {
  return { ...faultFinding(pod, { field: '', reason, message }), path: pod.path };
}
