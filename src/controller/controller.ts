import { DASK_CLUSTERS, type DaskCluster } from '../api/dask-cluster.ts';
import { PODS, SERVICES, type KubeObject, type Pod, type Resource, type Service } from '../api/kubernetes.ts';
import { CLUSTER_LABEL, PAUSED_ANNOTATION } from '../api/names.ts';
import type { NamespaceFacts } from '../api/namespace-facts.ts';
import { correlationId } from '../core/correlation.ts';
import type { PlanSettings } from '../core/plan/observed.ts';
import { DEFAULT_POLICY, type Policy } from '../core/policy/policy.ts';
import type { KubeClient } from '../kube/client.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import { Expectations } from '../kube/expectations.ts';
import { objectKey } from '../kube/object-key.ts';
import { Reflector } from '../kube/reflector.ts';
import { Store, type StoreEvent } from '../kube/store.ts';
import { WorkQueue } from '../kube/work-queue.ts';
import { runWorkers } from '../kube/workers.ts';
import type { RandomBytes } from '../pki/serial-number.ts';
import { DAY_MS } from '../pki/validity.ts';
import type { Clock, Timer } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { CredentialsLedger } from './credentials-ledger.ts';
import { DryRuns } from './dry-runs.ts';
import { Executor } from './execute.ts';
import { GatewayVerdicts } from './gateway-verdicts.ts';
import type { ControllerMetrics, WatchSource } from './metrics.ts';
import { LimitKeeper } from './limit-keeper.ts';
import { Obstacles } from './obstacles.ts';
import { projectPod } from './projection.ts';
import { Reconciler, type Stores } from './reconcile.ts';
import { StatusWriter } from './status-writer.ts';
import { Verdicts } from './verdicts.ts';

export interface ControllerOptions {
  readonly client: KubeClient;
  readonly events: EventRecorder;
  readonly settings: PlanSettings;
  /** The configuration as it is now; the default limits nothing. */
  readonly policy?: () => Policy;
  /** Whose annotations may name an owner; undefined where it is not known. */
  readonly namespaceOf?: (name: string) => NamespaceFacts | undefined;
  /** How many clusters are worked on at a time. */
  readonly parallelism: number;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly randomBytes: RandomBytes;
  readonly metrics: ControllerMetrics;
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
  /** Every DaskCluster, as it was seen last. */
  readonly clusters: Store<DaskCluster>;
  private readonly limits: LimitKeeper;
  private readonly reflectors: readonly {
    run(signal: AbortSignal): Promise<void>;
    readonly synced: Promise<void>;
  }[];

  constructor(options: ControllerOptions) {
    const { clock, events, log, metrics } = options;
    this.options = options;
    this.queue = new WorkQueue({ clock });
    const stores: Stores = {
      clusters: new Store<DaskCluster>({ log }),
      pods: new Store<Pod>({ log, project: projectPod }),
      services: new Store<Service>({ log }),
    };
    this.clusters = stores.clusters;
    stores.clusters.subscribe((event) => {
      if (!callsForWork(event)) return;
      const key = objectKey(event.object);
      log.debug(
        { key, change: event.type, correlation: correlationId(event.object) },
        'a cluster has changed',
      );
      this.queue.add(key);
    });
    const enqueue = ({ object }: { readonly object: KubeObject }): void => {
      this.enqueueClusterOf(object);
    };
    stores.pods.subscribe(enqueue);
    stores.services.subscribe(enqueue);
    this.limits = new LimitKeeper({
      ...stores,
      policy: policyOf(options),
      namespaceOf: namespaceOf(options),
      changed: (key) => {
        this.queue.add(key);
      },
    });
    this.reconciler = createReconciler(options, stores, this.limits);
    const clusters = this.reflector(DASK_CLUSTERS, stores.clusters);
    const pods = this.reflector(PODS, stores.pods, CLUSTER_LABEL);
    const services = this.reflector(SERVICES, stores.services, CLUSTER_LABEL);
    this.reflectors = [clusters, pods, services];
    metrics.readFrom({
      queue: this.queue,
      events,
      watches: [
        watchSource(DASK_CLUSTERS, clusters, stores.clusters),
        watchSource(PODS, pods, stores.pods),
        watchSource(SERVICES, services, stores.services),
      ],
    });
    this.synced = Promise.all(this.reflectors.map(({ synced }) => synced));
  }

  /** Looks at every cluster again: the configuration, or what is known of its namespace, has changed. */
  reviseAll(): void {
    for (const cluster of this.clusters.list()) this.queue.add(objectKey(cluster));
  }

  /** Works until the signal aborts; resolves when what was under way has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { parallelism, log } = this.options;
    const watching = this.reflectors.map((reflector) => reflector.run(signal));
    // A plan from half-filled caches would create again what it does not see yet.
    await this.synced.then(
      () => {
        this.limits.start();
      },
      () => undefined,
    );
    // What is under way may finish: of a POST that is cut off nobody knows whether it happened.
    const patience = new AbortController();
    const handler = (key: string): Promise<number | undefined> => this.reconcile(key, patience.signal);
    const describe = (key: string): object => ({ correlation: correlationId(this.clusters.get(key)) });
    const working = runWorkers({ queue: this.queue, parallelism, handler, log, describe }, signal);
    const limit = this.limitAfter(signal, patience);
    await working;
    limit.cancel();
    await Promise.all(watching);
  }

  private async reconcile(key: string, signal: AbortSignal): Promise<number | undefined> {
    const { clock, metrics } = this.options;
    const startedAt = clock.monotonic();
    const observe = (result: 'success' | 'error'): void => {
      metrics.observeReconcile(result, (clock.monotonic() - startedAt) / 1000);
    };
    try {
      const requeueAfterMs = await this.reconciler.reconcile(key, signal);
      observe('success');
      return requeueAfterMs;
    } catch (error) {
      observe('error');
      throw error;
    }
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

function policyOf({ policy }: ControllerOptions): () => Policy {
  return policy ?? (() => DEFAULT_POLICY);
}

function namespaceOf({
  namespaceOf: known,
}: ControllerOptions): (name: string) => NamespaceFacts | undefined {
  return known ?? (() => undefined);
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

/** Read when the metrics are: what it gives is as it is then. */
function watchSource(
  { plural }: Resource,
  reflector: Pick<Reflector<KubeObject>, 'relists' | 'lastEventAt'>,
  store: { readonly size: number },
): WatchSource {
  return {
    resource: plural,
    get relists() {
      return reflector.relists;
    },
    get lastEventAt() {
      return reflector.lastEventAt;
    },
    get size() {
      return store.size;
    },
  };
}

function createReconciler(options: ControllerOptions, stores: Stores, limits: LimitKeeper): Reconciler {
  const { client, clock, events, log, randomBytes, settings } = options;
  const { installation } = settings;
  const policy = policyOf(options);
  const known = { policy, namespaceOf: namespaceOf(options) };
  const validityMs = (): number => policy().credentialsValidityDays * DAY_MS;
  const credentials = new CredentialsLedger({ client, clock, randomBytes, installation, validityMs });
  const expectations = new Expectations<Pod>({ store: stores.pods, clock });
  const obstacles = new Obstacles(clock);
  return new Reconciler({
    stores,
    credentials,
    expectations,
    obstacles,
    limits,
    events,
    clock,
    settings,
    verdicts: new Verdicts(known),
    gatewayVerdicts: new GatewayVerdicts({ ...known, dryRuns: new DryRuns(client) }),
    statuses: new StatusWriter(client),
    executor: new Executor({ client, credentials, expectations, obstacles, log }),
  });
}
