import { DASK_CLUSTERS, type DaskCluster } from '../api/dask-cluster.ts';
import { PODS, SERVICES, type KubeObject, type Pod, type Resource, type Service } from '../api/kubernetes.ts';
import { CLUSTER_LABEL } from '../api/names.ts';
import type { PlanSettings } from '../core/plan/observed.ts';
import type { KubeClient } from '../kube/client.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import { Expectations } from '../kube/expectations.ts';
import { objectKey } from '../kube/object-key.ts';
import { Reflector } from '../kube/reflector.ts';
import { Store } from '../kube/store.ts';
import { WorkQueue } from '../kube/work-queue.ts';
import { runWorkers } from '../kube/workers.ts';
import type { RandomBytes } from '../pki/serial-number.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { CredentialsLedger } from './credentials-ledger.ts';
import { Executor } from './execute.ts';
import { Obstacles } from './obstacles.ts';
import { projectPod } from './projection.ts';
import { Reconciler, type Stores } from './reconcile.ts';
import { StatusWriter } from './status-writer.ts';
import { Verdicts } from './verdicts.ts';

export interface ControllerOptions {
  readonly client: KubeClient;
  readonly events: EventRecorder;
  readonly settings: PlanSettings;
  /** How many clusters are worked on at a time. */
  readonly parallelism: number;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly randomBytes: RandomBytes;
  readonly log: Logger;
}

/** Watches DaskClusters and their children, and works off the keys of what changed. */
export class Controller {
  /** Resolves when every cache shows its first list. */
  readonly synced: Promise<unknown>;
  private readonly options: ControllerOptions;
  private readonly queue: WorkQueue;
  private readonly reconciler: Reconciler;
  private readonly reflectors: readonly {
    run(signal: AbortSignal): Promise<void>;
    readonly synced: Promise<void>;
  }[];

  constructor(options: ControllerOptions) {
    const { clock, log } = options;
    this.options = options;
    this.queue = new WorkQueue({ clock });
    const stores: Stores = {
      clusters: new Store<DaskCluster>({ log }),
      pods: new Store<Pod>({ log, project: projectPod }),
      services: new Store<Service>({ log }),
    };
    stores.clusters.subscribe(({ object }) => {
      this.queue.add(objectKey(object));
    });
    const enqueue = ({ object }: { readonly object: KubeObject }): void => {
      this.enqueueClusterOf(object);
    };
    stores.pods.subscribe(enqueue);
    stores.services.subscribe(enqueue);
    this.reconciler = createReconciler(options, stores);
    this.reflectors = [
      this.reflector(DASK_CLUSTERS, stores.clusters),
      this.reflector(PODS, stores.pods, CLUSTER_LABEL),
      this.reflector(SERVICES, stores.services, CLUSTER_LABEL),
    ];
    this.synced = Promise.all(this.reflectors.map(({ synced }) => synced));
  }

  /** Works until the signal aborts; resolves when what was under way has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { parallelism, log } = this.options;
    const watching = this.reflectors.map((reflector) => reflector.run(signal));
    // A plan from half-filled caches would create again what it does not see yet.
    await this.synced.catch(() => undefined);
    const handler = (key: string): Promise<number | undefined> => this.reconciler.reconcile(key, signal);
    await runWorkers({ queue: this.queue, parallelism, handler, log }, signal);
    await Promise.all(watching);
  }

  private reflector<T extends KubeObject>(
    resource: Resource,
    store: Store<T>,
    labelSelector?: string,
  ): Reflector<T> {
    const { client, clock, log, random } = this.options;
    const select = labelSelector === undefined ? {} : { labelSelector };
    return new Reflector<T>({ client, resource, select, store, log, clock, random });
  }

  private enqueueClusterOf({ metadata }: KubeObject): void {
    const cluster = metadata.labels?.[CLUSTER_LABEL];
    if (cluster !== undefined) this.queue.add(`${metadata.namespace ?? ''}/${cluster}`);
  }
}

function createReconciler(options: ControllerOptions, stores: Stores): Reconciler {
  const { client, clock, events, log, randomBytes, settings } = options;
  const { installation } = settings;
  const credentials = new CredentialsLedger({ client, clock, randomBytes, installation });
  const expectations = new Expectations<Pod>({ store: stores.pods, clock });
  const obstacles = new Obstacles(clock);
  return new Reconciler({
    stores,
    credentials,
    expectations,
    obstacles,
    events,
    clock,
    settings,
    verdicts: new Verdicts(),
    statuses: new StatusWriter(client),
    executor: new Executor({ client, credentials, expectations, obstacles, log }),
  });
}
