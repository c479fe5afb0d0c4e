import type { DaskCluster } from '../api/dask-cluster.ts';
import { SECRETS, type Secret } from '../api/kubernetes.ts';
import {
  CONNECT_CLUSTER_UID_ANNOTATION,
  CONTROLLER_FIELD_MANAGER,
  credentialsSecretName,
} from '../api/names.ts';
import type { ConnectTarget } from '../core/identity/connect-target.ts';
import { mergePatch } from '../core/merge-patch.ts';
import { isMirrorOf, renderMirror } from '../core/render/connect-mirror.ts';
import { identityOf, isControlledBy } from '../core/render/owner.ts';
import type { KubeClient } from '../kube/client.ts';
import { isConflict, isNotFound } from '../kube/errors.ts';
import type { ListerWatcher } from '../kube/reflector.ts';
import type { Store, StoreEvent } from '../kube/store.ts';
import { WorkQueue } from '../kube/work-queue.ts';
import { runWorkers } from '../kube/workers.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { ConnectPods } from './connect-pods.ts';
import { NameStillTaken } from './name-still-taken.ts';

export interface ConnectMirrorOptions {
  readonly client: ListerWatcher & Pick<KubeClient, 'get' | 'create' | 'patch' | 'delete'>;
  /** The controller's cache of clusters. */
  readonly clusters: Pick<Store<DaskCluster>, 'get' | 'subscribe' | 'resourceVersion'>;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
}

interface Copy {
  readonly namespace: string;
  readonly target: ConnectTarget;
}

const PARALLELISM = 2;
/** Secrets are not watched: a copy that somebody changed or deleted is noticed after this long. */
const LOOK_UP_MS = 600_000;
/** While the cluster is about to make its Secret. */
const WAITING_MS = 2_000;

/**
 * Keeps a copy of a cluster's certificate and key in each other namespace where pods are its clients, for as long as
 * there are such pods and the cluster. Secrets are read by name alone.
 */
export class ConnectMirror {
  private readonly options: ConnectMirrorOptions;
  private readonly queue: WorkQueue;
  private readonly pods: ConnectPods;
  /** By key: every copy that was asked for, until it is seen to be gone. */
  private readonly copies = new Map<string, Copy>();

  constructor(options: ConnectMirrorOptions) {
    const { client, clock, random, log } = options;
    this.options = options;
    this.queue = new WorkQueue({ clock });
    this.pods = new ConnectPods({
      client,
      clock,
      random,
      log,
      changed: (key, target) => {
        this.enqueue(key, target);
      },
    });
  }

  /** Works until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clusters, log } = this.options;
    const unsubscribe = clusters.subscribe((event) => {
      if (!changesCredentials(event)) return;
      for (const [key, target] of this.pods.copiesOf(event.object)) this.enqueue(key, target);
    });
    const watching = this.pods.run(signal);
    await this.pods.synced.catch(() => undefined);
    const handler = (key: string): Promise<number | undefined> => this.reconcile(key, signal);
    await runWorkers({ queue: this.queue, parallelism: PARALLELISM, handler, log }, signal);
    unsubscribe();
    await watching;
  }

  private enqueue(key: string, target: ConnectTarget): void {
    const [namespace = ''] = key.split('/');
    this.copies.set(key, { namespace, target });
    this.queue.add(key);
  }

  /** @returns after how many milliseconds to look again; undefined where there is nothing to look after */
  private async reconcile(key: string, signal: AbortSignal): Promise<number | undefined> {
    const copy = this.copies.get(key);
    if (copy === undefined) return undefined;
    const { clusters } = this.options;
    // Of a cache that is not filled yet every cluster is missing.
    if (clusters.resourceVersion === undefined) return WAITING_MS;
    const pods = this.pods.of(key);
    const { target } = copy;
    const cluster = clusters.get(`${target.namespace}/${target.cluster}`);
    const source =
      pods.length === 0 || cluster === undefined ? undefined : await this.sourceOf(cluster, signal);
    const stored = await this.find(copy.namespace, target.secretName, signal);
    const mirror =
      source === undefined || cluster === undefined
        ? undefined
        : renderMirror({ cluster: identityOf(cluster), source, namespace: copy.namespace, pods, stored });
    if (mirror !== undefined) {
      await this.store(mirror, stored, target, signal);
      return LOOK_UP_MS;
    }
    if (stored !== undefined && isOurs(stored, target)) await this.remove(stored, signal);
    if (pods.length === 0) {
      // Unless one came meanwhile: then it was entered again.
      if (this.pods.of(key).length === 0) this.copies.delete(key);
      return undefined;
    }
    return cluster === undefined || hasEnded(cluster) ? LOOK_UP_MS : WAITING_MS;
  }

  /** The cluster's own Secret; undefined where there is none, or it is somebody else's. */
  private async sourceOf(cluster: DaskCluster, signal: AbortSignal): Promise<Secret | undefined> {
    const { name, namespace, uid } = identityOf(cluster);
    const secret = await this.find(namespace, credentialsSecretName(name), signal);
    return secret !== undefined && isControlledBy(secret, uid) ? secret : undefined;
  }

  private async find(namespace: string, name: string, signal: AbortSignal): Promise<Secret | undefined> {
    try {
      return await this.options.client.get<Secret>(SECRETS, { namespace, name }, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  private async store(
    mirror: Secret,
    stored: Secret | undefined,
    target: ConnectTarget,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, log } = this.options;
    const { name = '', namespace = '' } = mirror.metadata;
    const options = { fieldManager: CONTROLLER_FIELD_MANAGER, signal };
    if (stored === undefined) {
      await client.create<Secret>(SECRETS, { namespace }, mirror, options);
      log.info({ namespace, secret: name }, "copied a cluster's certificate for its clients");
      return;
    }
    if (!isOurs(stored, target)) throw taken(namespace, name);
    const patch = difference(stored, mirror);
    if (patch === undefined) return;
    const { uid, resourceVersion } = stored.metadata;
    const { metadata, ...fields } = patch;
    const body = { ...fields, metadata: { ...(metadata as object | undefined), uid, resourceVersion } };
    await client.patch(SECRETS, { namespace, name }, { type: 'merge', body }, options);
    const { annotations } = mirror.metadata;
    log.info(
      { namespace, secret: name, clusterUid: annotations?.[CONNECT_CLUSTER_UID_ANNOTATION] },
      "brought the copy of a cluster's certificate up to date",
    );
  }

  private async remove({ metadata }: Secret, signal: AbortSignal): Promise<void> {
    const { name = '', namespace = '', uid } = metadata;
    try {
      await this.options.client.delete(SECRETS, { namespace, name }, { uid, signal });
      this.options.log.info({ namespace, secret: name }, "removed the copy of a cluster's certificate");
    } catch (error) {
      // Gone already, or followed by another one of the same name.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

/** Of all that happens to a cluster, what can go along with another Secret. */
function changesCredentials({ type, object, old }: StoreEvent<DaskCluster>): boolean {
  if (type !== 'update') return true;
  const [before, after] = [old.status, object.status];
  return (
    before?.credentials !== after?.credentials ||
    before?.incarnation !== after?.incarnation ||
    before?.phase !== after?.phase
  );
}

function hasEnded({ status }: DaskCluster): boolean {
  return status?.phase === 'Stopped' || status?.phase === 'Failed';
}

function isOurs(secret: Secret, { namespace, cluster }: ConnectTarget): boolean {
  return isMirrorOf(secret, { namespace, name: cluster });
}

/** What we write of it, and nothing else; undefined where that is as it should be. */
function difference(stored: Secret, mirror: Secret): Readonly<Record<string, unknown>> | undefined {
  const { labels, annotations, ownerReferences } = stored.metadata;
  const wanted = mirror.metadata;
  return mergePatch(
    { metadata: { labels, annotations, ownerReferences }, data: stored.data },
    {
      metadata: {
        labels: { ...labels, ...wanted.labels },
        annotations: { ...annotations, ...wanted.annotations },
        ownerReferences: wanted.ownerReferences,
      },
      data: mirror.data,
    },
  );
}

function taken(namespace: string, name: string): NameStillTaken {
  return new NameStillTaken(
    `Secret ${namespace}/${name}: is not a copy that daskwarden made; delete it, so that the clients in this namespace get the cluster's certificate`,
  );
}
