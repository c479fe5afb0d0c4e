import type { DaskCluster } from '../api/dask-cluster.ts';
import type { Pod } from '../api/kubernetes.ts';
import { ROLE_COMPONENT, COMPONENT_LABEL } from '../api/names.ts';
import { ownerOf } from '../core/identity/owner.ts';
import type { NamespaceFacts } from '../api/namespace-facts.ts';
import { admissionOrder, type Contender } from '../core/limits/admission-order.ts';
import { demandWith, isCounted, mayStart, shapeOf, workersOf } from '../core/limits/cluster-demand.ts';
import { areSame, type Grant } from '../core/limits/grant.ts';
import { isEnding, placeHeld, type LivePods } from '../core/limits/place.ts';
import { limitsInForce } from '../core/limits/scope.ts';
import { UsageIndex } from '../core/limits/usage-index.ts';
import { enforcementOf } from '../core/policy/apply.ts';
import type { Policy } from '../core/policy/policy.ts';
import { objectKey } from '../kube/object-key.ts';
import type { Store, StoreEvent } from '../kube/store.ts';

export interface LimitKeeperOptions {
  readonly clusters: Store<DaskCluster>;
  readonly pods: Store<Pod>;
  readonly policy: () => Policy;
  /** Undefined where it is not known; a trusted deployer's clusters may count for the owner it names. */
  readonly namespaceOf: (name: string) => NamespaceFacts | undefined;
  /** Told the key of a cluster whose grant has changed since it was last asked for. */
  readonly changed: (key: string) => void;
}

interface Place extends Contender {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly isLeaving: boolean;
}

/**
 * Keeps to the limits whatever admission let through: a cluster that finds no room waits, and a running one gets no
 * more workers than fit. A place that was given is kept until the cluster is stopped, has ended or is gone. Everything
 * is found again in the stored objects, so a restart changes nothing that runs.
 */
export class LimitKeeper {
  private readonly options: LimitKeeperOptions;
  private readonly places = new Map<string, Place>();
  private readonly grants = new Map<string, Grant>();
  /** Keys of those that want more than they have. */
  private readonly contending = new Set<string>();
  /** Of those that have a place. */
  private usage = new UsageIndex();
  private policy: Policy | undefined;
  private started = false;
  private stale = false;

  constructor(options: LimitKeeperOptions) {
    this.options = options;
    options.clusters.subscribe((event) => {
      if (this.started) this.observe(event);
    });
  }

  /** To be called once the caches are filled: before, what runs could not be told from what does not. */
  start(): void {
    this.started = true;
    for (const cluster of this.options.clusters.list()) this.see(cluster);
    this.decide();
  }

  /** What a cluster may have now. Undefined for one that is to have nothing, or is not known. */
  grantOf(key: string): Grant | undefined {
    if (this.stale || this.policy !== this.options.policy()) this.decide();
    return this.grants.get(key);
  }

  private observe({ type, object }: StoreEvent<DaskCluster>): void {
    const hasChanged = type === 'delete' ? this.forget(objectKey(object)) : this.see(object);
    if (!hasChanged || this.stale || this.contending.size === 0) return;
    this.stale = true;
    // Once for all events that came together.
    queueMicrotask(() => {
      if (this.stale) this.decide();
    });
  }

  /** @returns whether it changes what there is to decide */
  private see(cluster: DaskCluster): boolean {
    const key = objectKey(cluster);
    const before = this.places.get(key);
    const known = before?.uid === cluster.metadata.uid ? before : undefined;
    const held = known === undefined ? placeHeld(cluster, this.podsOf(cluster)) : heldNow(cluster, known);
    if (held === undefined && !mayStart(cluster)) return this.forget(key);
    // A status says nothing of what is asked for, and most events are of one.
    if (known !== undefined && isAsBefore(cluster, known)) return false;
    const place = this.placeOf(cluster, held);
    this.put(place);
    if (place.held === place.wanted) {
      this.contending.delete(key);
      this.grant(key, WHOLE);
    } else {
      this.contending.add(key);
    }
    return true;
  }

  private placeOf(cluster: DaskCluster, held: number | undefined): Place {
    const { uid, generation, namespace = '', creationTimestamp = '' } = cluster.metadata;
    const { policy, namespaceOf } = this.options;
    const asked = workersOf(cluster);
    // What is on its way out gets no more.
    const wanted = held === undefined || mayStart(cluster) ? asked : Math.min(held, asked);
    return {
      key: objectKey(cluster),
      uid,
      generation,
      isLeaving: !mayStart(cluster),
      namespace,
      owner: ownerOf({ cluster, policy: policy(), namespace: namespaceOf(namespace) }),
      createdAt: creationTimestamp,
      shape: shapeOf(cluster),
      wanted,
      held: held === undefined ? undefined : Math.min(held, wanted),
    };
  }

  private put(place: Place): void {
    const { key, owner, namespace, held, shape } = place;
    this.places.set(key, place);
    if (held === undefined) this.usage.delete(key);
    else this.usage.put(key, { owner, namespace, demand: demandWith(shape, held) });
  }

  private forget(key: string): boolean {
    this.grants.delete(key);
    this.contending.delete(key);
    this.usage.delete(key);
    return this.places.delete(key);
  }

  private decide(): void {
    const policy = this.options.policy();
    if (policy !== this.policy) this.countAnew(policy);
    this.stale = false;
    // Whoever is let in changes what those wait for that came before it.
    let isSettled = false;
    while (!isSettled) isSettled = !this.letIn(policy);
  }

  /** @returns whether any got a place, or a larger one */
  private letIn(policy: Policy): boolean {
    const contenders = [...this.contending].flatMap((key) => this.places.get(key) ?? []);
    const admissions = admissionOrder(contenders, this.usage, (namespace) =>
      limitsInForce(policy, enforcementOf(policy, this.options.namespaceOf(namespace)?.labels)),
    );
    let hasChanged = false;
    for (const place of contenders) {
      const admission = admissions.get(place.key);
      if (admission === undefined) continue;
      if (admission.workers !== place.held) {
        this.put({ ...place, held: admission.workers });
        hasChanged = true;
      }
      if (admission.workers === place.wanted) this.contending.delete(place.key);
      this.grant(place.key, admission.grant);
    }
    return hasChanged;
  }

  private grant(key: string, grant: Grant): void {
    const before = this.grants.get(key);
    this.grants.set(key, grant);
    if (before !== undefined && !areSame(before, grant)) this.options.changed(key);
  }

  /** Whose a cluster is depends on the configuration. */
  private countAnew(policy: Policy): void {
    this.policy = policy;
    this.usage = new UsageIndex();
    for (const place of [...this.places.values()]) {
      const cluster = this.options.clusters.get(place.key);
      if (cluster === undefined) continue;
      const { namespace } = place;
      const owner = ownerOf({ cluster, policy, namespace: this.options.namespaceOf(namespace) });
      this.put({ ...place, owner });
    }
  }

  private podsOf({ metadata }: DaskCluster): LivePods {
    const pods = this.options.pods.byOwner(metadata.uid ?? '');
    const isWorker = (pod: Pod): boolean => pod.metadata.labels?.[COMPONENT_LABEL] === ROLE_COMPONENT.worker;
    const live = pods.filter(
      ({ metadata: { deletionTimestamp }, status }) =>
        deletionTimestamp === undefined && status?.phase !== 'Failed' && status?.phase !== 'Succeeded',
    );
    return { any: live.length > 0, workers: live.filter(isWorker).length };
  }
}

const WHOLE: Grant = { kind: 'whole' };

function isAsBefore(cluster: DaskCluster, { generation, isLeaving }: Place): boolean {
  return cluster.metadata.generation === generation && isLeaving !== mayStart(cluster);
}

/** A place is kept through every status that comes late, and given up once the cluster has been stopped. */
function heldNow(cluster: DaskCluster, { held }: Place): number | undefined {
  if (isCounted(cluster) || isEnding(cluster)) return held;
  return undefined;
}
