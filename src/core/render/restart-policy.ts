import type { PodSpec } from '../../api/kubernetes.ts';
import type { Role } from '../../api/names.ts';

/**
 * The restart policy of a role's pods: the template's, else the one that leaves the end of a scheduler, and of a
 * worker that retired, to the controller. The empty text is absent: the API server would make it `Always`.
 */
export function restartPolicyOf({ restartPolicy }: Partial<PodSpec>, role: Role): string {
  return restartPolicy || (role === 'scheduler' ? 'Never' : 'OnFailure');
}
