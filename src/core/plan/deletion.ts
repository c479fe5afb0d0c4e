import { targetOf, type Action, type DeletionReason } from './action.ts';
import { isState, type Member } from './census.ts';

/**
 * Deletes pods that are not on their way out already. A pod whose POST has not been answered yet has no UID to be
 * deleted by: it is left until the watch shows it or it turns out never to have been.
 */
export function deletePods(members: readonly Member[], reason: DeletionReason): readonly Action[] {
  return members
    .filter((member) => !isState(member, 'terminating') && member.pod.metadata.uid !== undefined)
    .map(({ pod }) => ({ kind: 'delete-pod', target: targetOf(pod), reason }));
}
