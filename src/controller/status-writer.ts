import { DASK_CLUSTERS, type DaskCluster, type DaskClusterStatus } from '../api/dask-cluster.ts';
import { CONTROLLER_FIELD_MANAGER } from '../api/names.ts';
import { mergePatch } from '../core/merge-patch.ts';
import { identityOf } from '../core/render/owner.ts';
import type { KubeClient } from '../kube/client.ts';
import { stripBookkeeping } from '../kube/intake.ts';

/** Fields of the status that a later plan may leave out; all others that are there and unknown to it are kept. */
const REMOVABLE: readonly (keyof DaskClusterStatus)[] = [
  'credentials',
  'service',
  'schedulerPod',
  'completionTime',
  'lastTermination',
];

interface Written {
  readonly cluster: DaskCluster;
  /** The versions that our writes replaced, each made from the one before: the watch may show them still. */
  readonly replaced: readonly string[];
}

/**
 * Writes statuses, each only over the version it was made from, and remembers what it wrote until the watch shows it:
 * a plan made from an older status would use a worker's number twice.
 */
export class StatusWriter {
  private readonly written = new Map<string, Written>();
  private readonly client: Pick<KubeClient, 'patch'>;

  constructor(client: Pick<KubeClient, 'patch'>) {
    this.client = client;
  }

  /** The newest version known of a cluster that the watch has shown. */
  newest(cached: DaskCluster): DaskCluster {
    const uid = cached.metadata.uid ?? '';
    const own = this.written.get(uid);
    if (own?.replaced.includes(cached.metadata.resourceVersion ?? '') === true) return own.cluster;
    this.written.delete(uid);
    return cached;
  }

  /**
   * @param cluster the version that the status was made from
   * @returns the version that was stored; the given one where nothing had to be written
   * @throws ApiError (conflict) where the cluster has changed since
   */
  async write(cluster: DaskCluster, status: DaskClusterStatus, signal: AbortSignal): Promise<DaskCluster> {
    const patch = mergePatch(withoutUnknown(cluster.status ?? {}, status), { ...status });
    if (patch === undefined) return cluster;
    const { name, namespace, uid } = identityOf(cluster);
    const resourceVersion = cluster.metadata.resourceVersion ?? '';
    const stored = await this.client.patch<DaskCluster>(
      DASK_CLUSTERS,
      { namespace, name, subresource: 'status' },
      { type: 'merge', body: { metadata: { resourceVersion, uid }, status: patch } },
      { fieldManager: CONTROLLER_FIELD_MANAGER, signal },
    );
    const replaced = [...(this.written.get(uid)?.replaced ?? []), resourceVersion];
    this.written.set(uid, { cluster: stripBookkeeping(stored), replaced });
    return stored;
  }

  forget(uid: string): void {
    this.written.delete(uid);
  }
}

function withoutUnknown(before: DaskClusterStatus, after: DaskClusterStatus): Record<string, unknown> {
  const known = new Set<string>([...Object.keys(after), ...REMOVABLE]);
  return Object.fromEntries(Object.entries(before).filter(([key]) => known.has(key)));
}
