import type { Status } from '../../api/kubernetes.ts';
import type { Finding } from '../findings.ts';
import { faultFinding } from './findings-of-verdict.ts';
import type { JudgedPod } from './judged-pod.ts';

/**
 * What the API server said when it refused to create a pod, at the places where the user wrote what it is about. Where
 * it names no field (pod security, a quota, another webhook) its message stands at the template.
 */
export function findingsOfRefusal(
  pod: JudgedPod,
  refusal: Pick<Status, 'message' | 'reason' | 'details'>,
): readonly Finding[] {
  const causes = refusal.details?.causes ?? [];
  const faults = causes.flatMap(({ field, reason = '', message = '' }) =>
    field === undefined ? [] : [faultFinding(pod, { field, reason, message })],
  );
  if (faults.length > 0) return faults;
  const { message = '', reason = 'refused' } = refusal;
  const fault = faultFinding(pod, { field: '', reason: 'FieldValueForbidden', message: message || reason });
  return [{ ...fault, path: pod.path }];
}
