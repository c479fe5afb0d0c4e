import { DASK_CLUSTERS } from '../../src/api/dask-cluster.ts';
import type { KubeObject } from '../../src/api/kubernetes.ts';
import type { KubeClient } from '../../src/kube/client.ts';

/** Creates clusters in dry runs, as fast as they are admitted, on so many connections. */
export class AdmissionLoad {
  admitted = 0;
  readonly failures: string[] = [];
  private readonly stopping = new AbortController();
  private readonly startedAt = performance.now();
  private readonly workers: readonly Promise<void>[];

  constructor(
    client: KubeClient,
    namespace: string,
    clusterOf: (name: string) => KubeObject,
    connections = 16,
  ) {
    this.workers = Array.from({ length: connections }, async (_, worker) => {
      for (let number = 0; !this.stopping.signal.aborted; number++) {
        const cluster = clusterOf(`load-${worker}-${number}`);
        try {
          await client.create(DASK_CLUSTERS, { namespace }, cluster, { dryRun: true });
          this.admitted += 1;
        } catch (error) {
          this.failures.push(String(error));
        }
      }
    });
  }

  get perSecond(): number {
    return (this.admitted / (performance.now() - this.startedAt)) * 1000;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.workers);
  }
}
