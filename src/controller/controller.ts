import { DASK_CLUSTERS, type DaskCluster } from '../api/dask-cluster.ts';
import { PODS, SERVICES, type KubeObject, type Pod, type Resource, type Service } from '../api/kubernetes.ts';
import { CLUSTER_LABEL, PAUSED_ANNOTATION } from '../api/names.ts';
import type { PlanSettings } from '../core/plan/observed.ts';
import type { KubeClient } from '../kube/client.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import { Expectations } from '../kube/expectations.ts';
import { objectKey } from '../kube/object-key.ts';
import { Reflector } from '../kube/reflector.ts';
import { Store, type StoreEvent } from '../kube/store.ts';
import { WorkQueue } from '../kube/work-queue.ts';
import { runWorkers } from '../kube/workers.ts';
import type { RandomBytes } from '../pki/serial-number.ts';
import type { Clock, Timer } from '../platform/clock.ts';
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

/** What is under way when the controller is told to end gets so long; a pod's grace period is 30 s. */
const FINISH_MS = 10_000;

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
    stores.clusters.subscribe((event) => {
      if (callsForWork(event)) this.queue.add(objectKey(event.object));
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
    // What is under way may finish: of a POST that is cut off nobody knows whether it happened.
    const patience = new AbortController();
    const handler = (key: string): Promise<number | undefined> =>
      this.reconciler.reconcile(key, patience.signal);
    const working = runWorkers({ queue: this.queue, parallelism, handler, log }, signal);
    const limit = this.limitAfter(signal, patience);
    await working;
    limit.cancel();
    await Promise.all(watching);
  }

  /** Aborts what is under way a while after the signal; to be cancelled when nothing is. */
  private limitAfter(signal: AbortSignal, patience: AbortController): { cancel(): void } {
    let timer: Timer | undefined;
    const begin = (): void => {
      timer = this.options.clock.after(FINISH_MS, () => {
        patience.abort(signal.reason);
      });
    };
    signal.addEventListener('abort', begin, { once: true });
    return { cancel: () => timer?.cancel() };
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

/**
 * A status is written by ourselves: were it an event, a plan that fails after it wrote one would be made again at once,
 * however long its key was to wait.
 */
function callsForWork(event: StoreEvent<DaskCluster>): boolean {
  if (event.type !== 'update') return true;
  const [before, after] = [event.old.metadata, event.object.metadata];
  return (
    before.generation !== after.generation ||
    before.deletionTimestamp !== after.deletionTimestamp ||
    before.annotations?.[PAUSED_ANNOTATION] !== after.annotations?.[PAUSED_ANNOTATION]
  );
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
