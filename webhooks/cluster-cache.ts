import { DASK_CLUSTERS, type DaskCluster } from '../src/api/dask-cluster.ts';
import { ownerOf } from '../src/core/identity/owner.ts';
import type { NamespaceFacts } from '../src/api/namespace-facts.ts';
import { demandOf } from '../src/core/limits/cluster-demand.ts';
import { larger, type Demand } from '../src/core/limits/demand.ts';
import { hasLimits, type Tenancy } from '../src/core/limits/scope.ts';
import { UsageIndex, type Claim, type Usage } from '../src/core/limits/usage-index.ts';
import type { Policy } from '../src/core/policy/policy.ts';
import { objectKey } from '../src/kube/object-key.ts';
import { Reflector, type ListerWatcher } from '../src/kube/reflector.ts';
import { Store, type StoreEvent } from '../src/kube/store.ts';
import type { Clock } from '../src/platform/clock.ts';
import type { Logger } from '../src/platform/logger.ts';
import { projectCluster } from './cluster-projection.ts';
import { Reservations } from './reservations.ts';

export interface ClusterCacheOptions {
  readonly client: ListerWatcher;
  readonly policy: () => Policy;
  /** Undefined where it is not known. */
  readonly namespaceOf: (name: string) => NamespaceFacts | undefined;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
}

/** A change that this replica has admitted and that is about to be stored. */
export interface AdmittedCluster {
  /** As it will be stored, with name and namespace. */
  readonly cluster: DaskCluster;
  readonly owner: string;
  /** The resource version that an update is made from; absent for a create. */
  readonly replaces?: string | undefined;
}

/** The watch is milliseconds behind; what has not come by then was not stored, or is not coming. */
const RESERVATION_MS = 5_000;

/** Every DaskCluster as far as limits and identity need it, and what all of them take by owner and namespace. */
export class ClusterCache {
  /** Resolves when the first list is there. */
  readonly synced: Promise<void>;
  private readonly options: ClusterCacheOptions;
  private readonly store: Store<DaskCluster>;
  private readonly reflector: Reflector<DaskCluster>;
  private readonly reservations: Reservations;
  private usage = new UsageIndex();
  private policy: Policy;

  constructor(options: ClusterCacheOptions) {
    const { client, clock, random, log } = options;
    this.options = options;
    this.policy = options.policy();
    this.reservations = new Reservations(clock, RESERVATION_MS);
    this.store = new Store<DaskCluster>({ log, project: projectCluster });
    this.store.subscribe((event) => {
      this.observe(event);
    });
    this.reflector = new Reflector<DaskCluster>({
      client,
      resource: DASK_CLUSTERS,
      store: this.store,
      log,
      clock,
      random,
    });
    this.synced = this.reflector.synced;
  }

  /** Follows the clusters until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.reflector.run(signal);
  }

  /** Of the spec only what tells its form and what its pods request. Undefined where the cache has not seen it. */
  clusterOf(namespace: string, name: string): DaskCluster | undefined {
    return this.store.get(`${namespace}/${name}`);
  }

  usageOf(owner: string): Demand {
    return this.current().ofOwner(owner);
  }

  usageOfNamespace(namespace: string): Demand {
    return this.current().ofNamespace(namespace);
  }

  /** What all other clusters take of what the named one is counted with, those included that were just admitted. */
  usageBeside(name: string, tenancy: Tenancy): Usage {
    return this.current().beside(`${tenancy.namespace}/${name}`, tenancy);
  }

  /**
   * Counts a cluster from now on, until the watch shows it or 5 s have passed, where anything is limited. To be called in the same turn of the
   * event loop as the judgement, and not for a dry run. Of several for one name the last counts.
   */
  reserve({ cluster, owner, replaces }: AdmittedCluster): void {
    if (!hasLimits(this.options.policy().limits)) return;
    const key = objectKey(cluster);
    const { namespace = '', uid } = cluster.metadata;
    const claim: Claim = { owner, namespace, demand: demandOf(cluster) };
    this.reservations.put(key, { claim, uid, after: replaces });
    this.count(key);
  }

  /** Takes the owners anew: to be called when what is known of namespaces has changed. */
  recount(): void {
    this.policy = this.options.policy();
    this.usage = new UsageIndex();
    const keys = [...this.store.list().map(objectKey), ...this.reservations.keys()];
    for (const key of keys) this.count(key);
  }

  private observe({ object }: StoreEvent<DaskCluster>): void {
    const key = objectKey(object);
    this.reservations.settle(key, object);
    this.count(key);
  }

  /** The index, without what is overdue, by the configuration of now. */
  private current(): UsageIndex {
    for (const key of this.reservations.expire()) this.count(key);
    if (this.policy !== this.options.policy()) this.recount();
    return this.usage;
  }

  private count(key: string): void {
    const claim = together(this.claimOf(this.store.get(key)), this.reservations.claimOf(key));
    if (claim === undefined) this.usage.delete(key);
    else this.usage.put(key, claim);
  }

  private claimOf(cluster: DaskCluster | undefined): Claim | undefined {
    if (cluster === undefined) return undefined;
    const { namespace = '' } = cluster.metadata;
    const owner = ownerOf({ cluster, policy: this.policy, namespace: this.options.namespaceOf(namespace) });
    return { owner, namespace, demand: demandOf(cluster) };
  }
}

/** What is stored counts until a smaller version of it is, and what is admitted counts already. */
function together(stored: Claim | undefined, reserved: Claim | undefined): Claim | undefined {
  if (stored === undefined || reserved === undefined) return reserved ?? stored;
  return { ...reserved, demand: larger(stored.demand, reserved.demand) };
}
