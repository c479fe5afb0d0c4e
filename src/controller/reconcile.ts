import { formOf, type DaskCluster } from '../api/dask-cluster.ts';
import type { Pod, Service } from '../api/kubernetes.ts';
import { serviceName } from '../api/names.ts';
import type { PlanSettings } from '../core/plan/observed.ts';
import { plan } from '../core/plan/plan.ts';
import { identityOf } from '../core/render/owner.ts';
import { isConflict } from '../kube/errors.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import type { Expectations } from '../kube/expectations.ts';
import type { Store } from '../kube/store.ts';
import type { Clock } from '../platform/clock.ts';
import { LOOK_UP_INTERVAL_MS, type CredentialsLedger } from './credentials-ledger.ts';
import type { Executor } from './execute.ts';
import type { Obstacles } from './obstacles.ts';
import type { StatusWriter } from './status-writer.ts';
import type { Verdicts } from './verdicts.ts';

export interface Stores {
  readonly clusters: Store<DaskCluster>;
  readonly pods: Store<Pod>;
  readonly services: Store<Service>;
}

export interface ReconcilerDependencies {
  readonly stores: Stores;
  readonly verdicts: Verdicts;
  readonly credentials: CredentialsLedger;
  readonly expectations: Expectations<Pod>;
  readonly obstacles: Obstacles;
  readonly statuses: StatusWriter;
  readonly executor: Executor;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly settings: PlanSettings;
}

/** For the case that the change which made a write fail is already the last that the watch will show. */
const CONFLICT_INTERVAL_MS = 500;
/** A pod whose POST was not answered either shows up or is given up: somebody must look. */
const UNANSWERED_INTERVAL_MS = 5_000;

/** Reads from the caches, plans, executes, writes the status once. Knows nothing of queues and retries. */
export class Reconciler {
  private readonly deps: ReconcilerDependencies;
  /** The UID that each key had last, to know what to forget when it is gone or another object took its name. */
  private readonly uids = new Map<string, string>();

  constructor(deps: ReconcilerDependencies) {
    this.deps = deps;
  }

  /**
   * @param key `<namespace>/<name>` of a DaskCluster
   * @returns milliseconds after which time alone calls for the next look; undefined where only an event does
   */
  async reconcile(key: string, signal: AbortSignal): Promise<number | undefined> {
    const { stores, statuses, verdicts } = this.deps;
    const cached = stores.clusters.get(key);
    const known = this.uids.get(key);
    if (known !== undefined && known !== cached?.metadata.uid) this.forget(key, known);
    if (cached === undefined) return undefined;
    this.uids.set(key, identityOf(cached).uid);
    if (formOf(cached.spec) !== 'template' || cached.metadata.deletionTimestamp !== undefined)
      return undefined;
    const newest = statuses.newest(cached);
    const { cluster, errors } = verdicts.of(newest);
    try {
      return await this.work(cluster, errors, signal);
    } catch (error) {
      // Somebody changed the cluster meanwhile: the watch brings the new version, and with it the key.
      if (isConflict(error)) return CONFLICT_INTERVAL_MS;
      throw error;
    }
  }

  private async work(
    cluster: DaskCluster,
    errors: ReturnType<Verdicts['of']>['errors'],
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { clock, settings, statuses, executor, events } = this.deps;
    const observed = await this.observe(cluster, signal);
    const next = plan({ cluster, errors, observed, now: clock.now(), settings });
    if (next.statusFirst) await statuses.write(cluster, next.status, signal);
    await executor.execute(cluster, next.actions, signal);
    if (!next.statusFirst) await statuses.write(cluster, next.status, signal);
    for (const { type, reason, note } of next.events)
      events.record({ regarding: cluster, type, reason, note });
    const unanswered = observed.pods.some(({ metadata }) => metadata.uid === undefined);
    return Math.min(
      next.requeueAfterMs ?? LOOK_UP_INTERVAL_MS,
      unanswered ? UNANSWERED_INTERVAL_MS : LOOK_UP_INTERVAL_MS,
    );
  }

  private async observe(
    cluster: DaskCluster,
    signal: AbortSignal,
  ): Promise<Parameters<typeof plan>[0]['observed']> {
    const { stores, credentials, expectations, obstacles } = this.deps;
    const { uid, name, namespace } = identityOf(cluster);
    return {
      pods: expectations.overlay(uid, stores.pods.byOwner(uid)),
      service: stores.services.get(`${namespace}/${serviceName(name)}`),
      credentials: await credentials.stateOf(cluster, signal),
      foreignPods: obstacles.foreignPods(uid),
      injectionMissing: obstacles.isInjectionMissing(uid),
    };
  }

  private forget(key: string, uid: string): void {
    const { credentials, expectations, obstacles, statuses, verdicts } = this.deps;
    for (const memory of [credentials, expectations, obstacles, statuses, verdicts]) memory.forget(uid);
    this.uids.delete(key);
  }
}
