import { formOf, type DaskCluster } from '../api/dask-cluster.ts';
import type { Pod, Service } from '../api/kubernetes.ts';
import { schedulerPodName, serviceName } from '../api/names.ts';
import { isInvalidGateway, isNewGateway } from '../core/plan/invalid-gateway.ts';
import type { Observed, PlanInput, PlanSettings } from '../core/plan/observed.ts';
import { isOurs, plan, type Plan } from '../core/plan/plan.ts';
import { REFUSED } from '../core/plan/running-statements.ts';
import { identityOf } from '../core/render/owner.ts';
import { ApiError, isConflict, isThrottled } from '../kube/errors.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import type { Expectations } from '../kube/expectations.ts';
import type { Store } from '../kube/store.ts';
import type { Clock } from '../platform/clock.ts';
import { LOOK_UP_INTERVAL_MS, type CredentialsLedger } from './credentials-ledger.ts';
import type { Executor } from './execute.ts';
import type { GatewayVerdicts } from './gateway-verdicts.ts';
import type { LimitKeeper } from './limit-keeper.ts';
import type { Obstacles } from './obstacles.ts';
import { refusalText } from './refusal-text.ts';
import type { StatusWriter } from './status-writer.ts';
import type { Judged, Verdicts } from './verdicts.ts';

export interface Stores {
  readonly clusters: Store<DaskCluster>;
  readonly pods: Store<Pod>;
  readonly services: Store<Service>;
}

export interface ReconcilerDependencies {
  readonly stores: Stores;
  readonly verdicts: Verdicts;
  readonly gatewayVerdicts: GatewayVerdicts;
  readonly credentials: CredentialsLedger;
  readonly expectations: Expectations<Pod>;
  readonly obstacles: Obstacles;
  readonly limits: Pick<LimitKeeper, 'grantOf'>;
  readonly statuses: StatusWriter;
  readonly executor: Executor;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly clock: Clock;
  readonly settings: PlanSettings;
}

/** For the case that the change which made a write fail is already the last that the watch will show. */
const CONFLICT_INTERVAL_MS = 500;
/** A pod whose POST was not answered either shows up or is given up: somebody must look. */
const UNANSWERED_INTERVAL_MS = 5_000;
/** A pod that has a node and does not start may be one that cannot mount its Secret. */
const WAITING_POD_LOOK_UP_MS = 30_000;
/** Before pods are made the Secret is looked for, unless it was seen so short a time ago. */
const NEW_PODS_LOOK_UP_MS = 5_000;

type Unobserved = Omit<PlanInput, 'observed'>;

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
    const { stores, statuses } = this.deps;
    const cached = stores.clusters.get(key);
    const known = this.uids.get(key);
    if (known !== undefined && known !== cached?.metadata.uid) this.forget(key, known);
    if (cached === undefined) return undefined;
    this.uids.set(key, identityOf(cached).uid);
    if (formOf(cached.spec) === undefined || cached.metadata.deletionTimestamp !== undefined)
      return undefined;
    const { clock, limits, settings } = this.deps;
    try {
      const judged = await this.judge(statuses.newest(cached), signal);
      // A valid one still has dask-gateway's own controller.
      if (formOf(cached.spec) === 'gateway' && !isInvalidGateway(judged)) return undefined;
      const input = { ...judged, grant: limits.grantOf(key), now: clock.now(), settings };
      return await this.work(input, signal);
    } catch (error) {
      // Somebody changed the cluster meanwhile: the watch brings the new version, and with it the key.
      if (isConflict(error)) return CONFLICT_INTERVAL_MS;
      throw error;
    }
  }

  private async judge(cluster: DaskCluster, signal: AbortSignal): Promise<Judged> {
    const { verdicts, gatewayVerdicts } = this.deps;
    const judged = verdicts.of(cluster);
    const { cluster: sound, errors } = judged;
    if (errors.length > 0 || !isNewGateway(sound) || !isOurs(sound)) return judged;
    return { cluster: sound, errors: await gatewayVerdicts.errorsOf(sound, signal) };
  }

  private async work(input: Unobserved, signal: AbortSignal): Promise<number> {
    const { statuses, executor, events, obstacles } = this.deps;
    const { cluster } = input;
    const { uid } = identityOf(cluster);
    const { observed, next } = await this.planFor(input, signal);
    const current = next.statusFirst ? await statuses.write(cluster, next.status, signal) : cluster;
    try {
      await executor.execute(cluster, next.actions, signal);
    } catch (error) {
      if (isRefusal(error)) {
        const { installation } = input.settings;
        const refusal = refusalText(error, { cluster, installation, actions: next.actions });
        await this.tellRefusal({ ...input, observed: { ...observed, refusal } }, current, refusal, signal);
      }
      throw error;
    }
    obstacles.accepted(uid);
    if (!next.statusFirst) await statuses.write(cluster, next.status, signal);
    for (const { type, reason, note } of next.events)
      events.record({ regarding: cluster, type, reason, note });
    // The status was written before it was true: of what it says too early or still, nothing else reminds us.
    if (next.statusFirst || observed.refusal !== undefined) return 0;
    return Math.min(next.requeueAfterMs ?? LOOK_UP_INTERVAL_MS, nextLookMs(observed.pods));
  }

  private async planFor(
    input: Unobserved,
    signal: AbortSignal,
  ): Promise<{ readonly observed: Observed; readonly next: Plan }> {
    const observed = await this.observe(input.cluster, signal);
    const next = plan({ ...input, observed });
    if (!next.actions.some(({ kind }) => kind === 'create-pod')) return { observed, next };
    // A pod that cannot mount its Secret would wait for it for ever.
    const credentials = await this.deps.credentials.stateOf(input.cluster, signal, NEW_PODS_LOOK_UP_MS);
    if (credentials.kind === observed.credentials.kind) return { observed, next };
    const sure = { ...observed, credentials };
    return { observed: sure, next: plan({ ...input, observed: sure }) };
  }

  private async observe(cluster: DaskCluster, signal: AbortSignal): Promise<Observed> {
    const { stores, credentials, expectations, obstacles } = this.deps;
    const { uid, name, namespace } = identityOf(cluster);
    const pods = expectations.overlay(uid, stores.pods.byOwner(uid));
    return {
      pods,
      service: stores.services.get(`${namespace}/${serviceName(name)}`) ?? obstacles.foreignServiceOf(uid),
      schedulerPod: stores.pods.get(`${namespace}/${schedulerPodName(name)}`),
      credentials: await credentials.stateOf(cluster, signal, lookUpIntervalMs(pods)),
      foreignPods: obstacles.foreignPodsOf(uid),
      injectionMissing: obstacles.isInjectionMissing(uid),
      injectionTrialDue: obstacles.isInjectionTrialDue(uid),
      refusal: obstacles.refusalOf(uid),
    };
  }

  /** The refusal is said in the status, and stays there until the API server takes what it is asked. */
  private async tellRefusal(
    input: PlanInput,
    current: DaskCluster,
    refusal: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { statuses, obstacles, events } = this.deps;
    obstacles.refused(identityOf(current).uid, refusal);
    events.record({ regarding: current, type: 'Warning', reason: REFUSED, note: refusal });
    const { status } = plan(input);
    // The refusal itself is what gets thrown and logged; the next attempt says it again.
    await statuses.write(current, status, signal).catch(() => undefined);
  }

  private forget(key: string, uid: string): void {
    const { credentials, expectations, gatewayVerdicts, obstacles, statuses, verdicts } = this.deps;
    for (const memory of [credentials, expectations, gatewayVerdicts, obstacles, statuses, verdicts])
      memory.forget(uid);
    this.uids.delete(key);
  }
}

/** The API server understood a write, and would not do it: a quota, an admission webhook, a policy. */
function isRefusal(error: unknown): error is ApiError {
  return (
    error instanceof ApiError && error.call.method !== 'GET' && !isConflict(error) && !isThrottled(error)
  );
}

function lookUpIntervalMs(pods: readonly Pod[]): number {
  const waits = pods.some(({ spec, status }) => spec.nodeName !== undefined && status?.phase === 'Pending');
  return waits ? WAITING_POD_LOOK_UP_MS : LOOK_UP_INTERVAL_MS;
}

function nextLookMs(pods: readonly Pod[]): number {
  const isUnanswered = pods.some(({ metadata }) => metadata.uid === undefined);
  return isUnanswered ? UNANSWERED_INTERVAL_MS : lookUpIntervalMs(pods);
}
