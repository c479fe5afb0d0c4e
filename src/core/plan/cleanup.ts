import { isControlledBy } from '../render/owner.ts';
import { targetOf, type Action, type DeletionReason } from './action.ts';
import { isState, takeCensus, type Member } from './census.ts';
import { deletePods } from './deletion.ts';
import type { PlanInput } from './observed.ts';

export interface Cleanup {
  readonly actions: readonly Action[];
  /** Nothing of the cluster is left, or only what is kept on purpose. */
  readonly done: boolean;
}

/**
 * Removes what a cluster that has ended still holds. Already terminating objects are only waited for.
 * @param keepUntilMs a failed scheduler's pod stays until then (epoch milliseconds), for its logs
 */
export function cleanUp(
  { cluster, observed, now }: PlanInput,
  reason: DeletionReason,
  keepUntilMs = Number.NEGATIVE_INFINITY,
): Cleanup {
  const { schedulers, workers } = takeCensus(observed.pods, now);
  const kept = (member: Member): boolean => now < keepUntilMs && isState(member, 'failed');
  const pods = [...workers, ...schedulers.filter((member) => !kept(member))];
  const actions: Action[] = [...deletePods(pods, reason)];
  const { service } = observed;
  const ownService = service !== undefined && isControlledBy(service, cluster.metadata.uid ?? '');
  if (ownService && service.metadata.deletionTimestamp === undefined) {
    actions.push({ kind: 'delete-service', target: targetOf(service) });
  }
  const secretName = cluster.status?.credentials;
  if (secretName !== undefined) actions.push({ kind: 'delete-credentials', secretName });
  return { actions, done: pods.length === 0 && !ownService };
}
