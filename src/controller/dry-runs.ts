import type { DaskCluster } from '../api/dask-cluster.ts';
import { FieldPath } from '../api/field-path.ts';
import { PODS, type Pod } from '../api/kubernetes.ts';
import { CONTROLLER_FIELD_MANAGER } from '../api/names.ts';
import type { Finding } from '../core/findings.ts';
import { faultsOfPod } from '../core/pod-verdict/findings-of-refusal.ts';
import type { JudgedPod } from '../core/pod-verdict/judged-pod.ts';
import { gatewayPods } from '../core/render/gateway/pods.ts';
import { DEFAULT_GATEWAY_SETTINGS } from '../core/render/gateway/settings.ts';
import { identityOf } from '../core/render/owner.ts';
import type { KubeClient } from '../kube/client.ts';
import { ApiError, isAlreadyExists, isConflict } from '../kube/errors.ts';
import { refusalOf } from './refusal-of.ts';

interface Entry {
  readonly generation: number | undefined;
  readonly findings: readonly Finding[];
}

/** A worker of the queue is held so long at most by a server that does not answer. */
const TIMEOUT_MS = 10_000;

/**
 * What Kubernetes says of the pods of gateway-form clusters, asked of the API server by creates that store nothing: its
 * validation is too big for this process. Each version of a cluster's spec is asked about once.
 */
export class DryRuns {
  private readonly entries = new Map<string, Entry>();
  private readonly client: Pick<KubeClient, 'create'>;

  constructor(client: Pick<KubeClient, 'create'>) {
    this.client = client;
  }

  /**
   * @param cluster of the gateway form, as it may be worked on
   * @throws ApiError, TransportError where the API server gives no verdict now
   */
  async findingsOf(cluster: DaskCluster, signal: AbortSignal): Promise<readonly Finding[]> {
    const { uid, namespace } = identityOf(cluster);
    const { generation } = cluster.metadata;
    const known = this.entries.get(uid);
    if (known !== undefined && known.generation === generation) return known.findings;
    const ofPods = await Promise.all(judgedPods(cluster).map((pod) => this.ask(pod, namespace, signal)));
    const findings = ofPods.flat();
    this.entries.set(uid, { generation, findings });
    return findings;
  }

  forget(uid: string): void {
    this.entries.delete(uid);
  }

  private async ask(judged: JudgedPod, namespace: string, signal: AbortSignal): Promise<readonly Finding[]> {
    const options = { fieldManager: CONTROLLER_FIELD_MANAGER, dryRun: true, timeoutMs: TIMEOUT_MS, signal };
    try {
      await this.client.create<Pod>(PODS, { namespace }, judged.pod, options);
      return [];
    } catch (error) {
      if (!isVerdict(error)) throw error;
      return faultsOfPod(judged, refusalOf(error));
    }
  }
}

/** Without the credentials, which are injected at admission as they are into the real ones. */
function judgedPods(cluster: DaskCluster): readonly JudgedPod[] {
  const path = FieldPath.of('spec', 'config');
  return gatewayPods(cluster, DEFAULT_GATEWAY_SETTINGS).map(({ role, pod, pathOf }) => ({
    role,
    pod,
    pathOf,
    cluster,
    path,
  }));
}

/** Whether the API server has looked at the pod, rather than told to come back or not known who asks. */
function isVerdict(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || error.code >= 500) return false;
  // Names are looked at last: whatever has one that is taken is valid.
  if (isAlreadyExists(error)) return true;
  return !isConflict(error) && ![401, 408, 429].includes(error.code);
}
