import type { DaskCluster } from '../api/dask-cluster.ts';
import {
  PODS,
  SERVICES,
  type KubeObject,
  type Pod,
  type Resource,
  type Service,
  type Status,
} from '../api/kubernetes.ts';
import { CLUSTER_LABEL, CONTROLLER_FIELD_MANAGER, serviceName } from '../api/names.ts';
import { targetOf, type Action, type Target } from '../core/plan/action.ts';
import { correlationId } from '../core/correlation.ts';
import { hasCredentials } from '../core/render/credentials.ts';
import { identityOf, isControlledBy, isOfPredecessor, type Identity } from '../core/render/owner.ts';
import type { KubeClient } from '../kube/client.ts';
import { ApiError, isAlreadyExists, isConflict, isNotFound, TransportError } from '../kube/errors.ts';
import type { Expectations } from '../kube/expectations.ts';
import { objectKey } from '../kube/object-key.ts';
import type { Logger } from '../platform/logger.ts';
import type { CredentialsLedger } from './credentials-ledger.ts';
import { NameStillTaken } from './name-still-taken.ts';
import type { Obstacles } from './obstacles.ts';

/** Posts of one cluster under way at once: enough to hide the latency, few enough to leave room for the others. */
const PARALLEL_WRITES = 16;

interface Dependencies {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'delete'>;
  readonly credentials: CredentialsLedger;
  readonly expectations: Expectations<Pod>;
  readonly obstacles: Obstacles;
  readonly log: Logger;
}

/** Turns the actions of plans into calls: the only writer of anything but statuses and Events. */
export class Executor {
  private readonly deps: Dependencies;

  constructor(deps: Dependencies) {
    this.deps = deps;
  }

  /**
   * Executes actions in order; neighbouring ones on pods together, a bounded number at once. Throws the first error
   * after the calls that were under way with it have ended; later actions are not begun.
   */
  async execute(cluster: DaskCluster, actions: readonly Action[], signal: AbortSignal): Promise<void> {
    for (const batch of batches(actions)) {
      const results = await Promise.allSettled(batch.map((action) => this.perform(cluster, action, signal)));
      const failure = results.find((result) => result.status === 'rejected');
      if (failure !== undefined) throw failure.reason;
    }
  }

  private async perform(cluster: DaskCluster, action: Action, signal: AbortSignal): Promise<void> {
    const owner = identityOf(cluster);
    const { namespace, name, uid } = owner;
    // Not `name`, which is the logger's own key.
    this.deps.log.debug(
      {
        namespace,
        cluster: name,
        uid,
        correlation: correlationId(cluster),
        action: action.kind,
        target: targetName(action),
      },
      'action',
    );
    switch (action.kind) {
      case 'create-credentials':
        return this.deps.credentials.create(cluster, signal);
      case 'restore-credentials':
        return this.deps.credentials.restore(cluster, signal);
      case 'delete-credentials':
        return this.deps.credentials.delete(cluster, signal);
      case 'create-service':
        return this.createService(owner, action.service, signal);
      case 'delete-service':
        await this.delete(SERVICES, owner, action.target, signal);
        return;
      case 'create-pod':
        return this.createPod(owner, action.pod, signal);
      case 'delete-pod':
        return this.deletePod(owner, action.target, signal);
    }
  }

  private async createService(owner: Identity, service: Service, signal: AbortSignal): Promise<void> {
    const options = { fieldManager: CONTROLLER_FIELD_MANAGER, signal };
    try {
      await this.deps.client.create(SERVICES, { namespace: owner.namespace }, service, options);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await this.recogniseService(owner, signal);
    }
  }

  private async createPod(owner: Identity, pod: Pod, signal: AbortSignal): Promise<void> {
    const { expectations, obstacles } = this.deps;
    // From here on it counts as there, also when the answer is lost: a second one would be one too many.
    expectations.creating(owner.uid, pod);
    const created = await this.postPod(owner, pod, signal);
    if (created === undefined) return;
    expectations.created(owner.uid, created);
    if (hasCredentials(created, owner.name)) {
      obstacles.injectionWorks(owner.uid);
      return;
    }
    // Without credentials it would serve unencrypted or fail for ever; the webhook that injects them did not.
    obstacles.injectionMissing(owner.uid);
    await this.deletePod(owner, targetOf(created), signal);
  }

  /** @returns what the API server made of it; undefined where it had been made before, by us */
  private async postPod(owner: Identity, pod: Pod, signal: AbortSignal): Promise<Pod | undefined> {
    const { client, expectations } = this.deps;
    try {
      const options = { fieldManager: CONTROLLER_FIELD_MANAGER, signal };
      return await client.create<Pod>(PODS, { namespace: owner.namespace }, pod, options);
    } catch (error) {
      const certain =
        error instanceof ApiError || (error instanceof TransportError && error.outcome === 'not-sent');
      if (certain) expectations.notCreated(owner.uid, objectKey(pod));
      if (!isAlreadyExists(error)) throw error;
      await this.recognisePod(owner, pod.metadata.name ?? '', signal);
      return undefined;
    }
  }

  private async deletePod(owner: Identity, target: Target, signal: AbortSignal): Promise<void> {
    const answer = await this.delete(PODS, owner, target, signal);
    const stub: Pod = { metadata: { ...target, namespace: owner.namespace }, spec: { containers: [] } };
    const stays = answer?.kind === 'Pod' ? (answer as Pod) : undefined;
    this.deps.expectations.deleted(owner.uid, stub, stays);
  }

  /** A post that met an existing pod: ours from an answer that was lost, one that is going, or somebody else's. */
  private async recognisePod(owner: Identity, name: string, signal: AbortSignal): Promise<void> {
    const at = { namespace: owner.namespace, name };
    const existing = await this.deps.client.get<Pod>(PODS, at, { signal });
    if (!isGoing(existing, owner)) {
      if (isControlledBy(existing, owner.uid)) {
        this.deps.expectations.created(owner.uid, existing);
        return;
      }
      this.deps.obstacles.foreignPod(owner.uid, name);
    }
    throw new NameStillTaken(`Pod ${owner.namespace}/${name} exists already`);
  }

  private async recogniseService(owner: Identity, signal: AbortSignal): Promise<void> {
    const at = { namespace: owner.namespace, name: serviceName(owner.name) };
    const existing = await this.deps.client.get<Service>(SERVICES, at, { signal });
    if (!isGoing(existing, owner)) {
      const { labels } = existing.metadata;
      const isOurs = isControlledBy(existing, owner.uid);
      // The watch is about to show it.
      if (isOurs && labels?.[CLUSTER_LABEL] === owner.name) return;
      // Somebody took the label off, by which alone it would be seen.
      if (isOurs) await this.delete(SERVICES, owner, targetOf(existing), signal);
      else this.deps.obstacles.foreignService(owner.uid, existing);
    }
    throw new NameStillTaken(`Service ${at.namespace}/${at.name} exists already`);
  }

  /** @returns the server's answer, or undefined where the very object was not there any more */
  private async delete(
    resource: Resource,
    { namespace }: Identity,
    { name, uid }: Target,
    signal: AbortSignal,
  ): Promise<KubeObject | Status | undefined> {
    try {
      return await this.deps.client.delete(resource, { namespace, name }, { uid, signal });
    } catch (error) {
      // Gone, or followed by another object of the same name: the one that was meant is not there.
      if (isNotFound(error) || isConflict(error)) return undefined;
      throw error;
    }
  }
}

/** Whether an object's end is only a matter of time. */
function isGoing(object: KubeObject, owner: Identity): boolean {
  return object.metadata.deletionTimestamp !== undefined || isOfPredecessor(object, owner);
}

/** Runs of actions on pods, cut to the parallel limit; everything else alone, so that the order holds. */
function batches(actions: readonly Action[]): readonly (readonly Action[])[] {
  const result: Action[][] = [];
  for (const action of actions) {
    const last = result.at(-1);
    const joins = last !== undefined && isOnPods(action) && last.length < PARALLEL_WRITES;
    if (joins && last[0]?.kind === action.kind) last.push(action);
    else result.push([action]);
  }
  return result;
}

function isOnPods({ kind }: Action): boolean {
  return kind === 'create-pod' || kind === 'delete-pod';
}

function targetName(action: Action): string | undefined {
  if ('target' in action) return action.target.name;
  if ('secretName' in action) return action.secretName;
  return action.kind === 'create-pod' ? action.pod.metadata.name : action.service.metadata.name;
}
