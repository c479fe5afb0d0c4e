import type { DaskCluster } from '../../api/dask-cluster.ts';
import type { Grant } from '../limits/grant.ts';
import type { ClusterEvent } from './action.ts';
import { no, yes, type Statement } from './conditions.ts';
import type { PlanInput } from './observed.ts';

/** Reason of a cluster that may not start yet: stored, it is how a restarted controller knows that it never did. */
export const WAITING = 'WaitingForRoom';
const HELD_BACK = 'WorkersHeldBack';

/** The cluster with as many workers as the limits leave to it. */
export function withinLimits(cluster: DaskCluster, grant: Grant | undefined): DaskCluster {
  if (grant?.kind !== 'clamped') return cluster;
  const { spec } = cluster;
  const replicas = Math.min(spec.worker?.replicas ?? 0, grant.workers);
  return { ...cluster, spec: { ...spec, worker: { ...spec.worker, replicas } } };
}

/** Nothing of a cluster that was never limited. */
export function limitedStatements({ cluster, grant }: PlanInput): readonly Statement[] {
  if (grant !== undefined && grant.kind !== 'whole') return [yes('Limited', reasonFor(grant), grant.message)];
  const wasLimited = cluster.status?.conditions?.some(({ type }) => type === 'Limited') === true;
  return wasLimited ? [no('Limited', 'WithinLimits', 'the cluster has all that it asks for')] : [];
}

/** Told once: positions change, and the condition says them. */
export function limitedEvents({ cluster, grant }: PlanInput): readonly ClusterEvent[] {
  if (grant === undefined || grant.kind === 'whole') return [];
  const reason = reasonFor(grant);
  const before = cluster.status?.conditions?.find(({ type }) => type === 'Limited');
  if (before?.status === 'True' && before.reason === reason) return [];
  return [{ type: 'Warning', reason, note: grant.message }];
}

function reasonFor({ kind }: Exclude<Grant, { kind: 'whole' }>): string {
  return kind === 'waiting' ? WAITING : HELD_BACK;
}
