import { formOf, type DaskCluster } from '../../api/dask-cluster.ts';
import { WAITING } from '../plan/limited.ts';
import { isCounted, workersOf } from './cluster-demand.ts';

/** What is there of a cluster's pods: they outlast a controller that ended before it wrote the status. */
export interface LivePods {
  readonly any: boolean;
  readonly workers: number;
}

/**
 * For how many workers a cluster has a place already, as its status and its pods show it: what runs is never stopped by
 * a limit. Undefined where it has not been started, or has been stopped.
 * Dask-gateway's own controller runs the gateway form: that has its place in any case.
 */
export function placeHeld(cluster: DaskCluster, pods: LivePods): number | undefined {
  if (!isCounted(cluster) && !isEnding(cluster)) return undefined;
  const wanted = workersOf(cluster);
  if (formOf(cluster.spec) !== 'template') return wanted;
  const { status } = cluster;
  if (status?.phase === 'Stopped') return undefined;
  if (!pods.any && !wasStarted(status)) return undefined;
  return Math.min(wanted, Math.max(status?.workers?.desired ?? 0, pods.workers));
}

/** Switched off, and not yet stopped: its pods take their place until they are told to go. */
export function isEnding({ spec, status }: DaskCluster): boolean {
  return spec.active === false && status?.phase !== 'Stopped' && status?.phase !== 'Failed';
}

function wasStarted(status: DaskCluster['status']): boolean {
  if (status?.phase === 'Running') return true;
  const limited = status?.conditions?.find(({ type }) => type === 'Limited');
  return status?.phase === 'Pending' && !(limited?.status === 'True' && limited.reason === WAITING);
}
