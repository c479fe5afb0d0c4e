import { DASK_CLUSTERS, type Condition, type DaskCluster } from '../../src/api/dask-cluster.ts';
import {
  EVENTS,
  type KubeObject,
  type Pod,
  PODS,
  type PodSpec,
  type PodStatus,
  type Resource,
  type Secret,
  SECRETS,
  type Service,
  SERVICES,
} from '../../src/api/kubernetes.ts';
import { CLUSTER_LABEL, COMPONENT_LABEL, ROLE_COMPONENT, type Role } from '../../src/api/names.ts';
import type { EventObject } from '../../src/kube/event.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { isNotFound } from '../../src/kube/errors.ts';
import { stripBookkeeping } from '../../src/kube/intake.ts';
import { IMAGE } from './builders.ts';
import { poll } from './poll.ts';

interface ClusterOptions {
  readonly name?: string;
  readonly replicas?: number;
  readonly scheduler?: Partial<PodSpec>;
  readonly worker?: Partial<PodSpec>;
  readonly spec?: object;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A manifest as people write it: little more than two images. */
export function manifest(options: ClusterOptions = {}): KubeObject {
  const { name = 'demo', replicas = 1, scheduler, worker, spec, annotations } = options;
  const template = (container: string, pod: Partial<PodSpec> = {}): object => ({
    template: { spec: { containers: [{ name: container, image: IMAGE }], ...pod } },
  });
  return {
    apiVersion: 'gateway.dask.org/v1alpha1',
    kind: 'DaskCluster',
    metadata: { name, ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      scheduler: template('dask-scheduler', scheduler),
      worker: { replicas, ...template('dask-worker', worker) },
      ...spec,
    },
  } as KubeObject;
}

export const NOWHERE: Partial<PodSpec> = { nodeSelector: { nowhere: 'true' } };

/** A DaskCluster of a real control plane, and what belongs to it. */
export class LiveCluster {
  readonly name: string;
  readonly namespace: string;
  private readonly client: KubeClient;

  constructor(client: KubeClient, namespace: string, name = 'demo') {
    this.client = client;
    this.namespace = namespace;
    this.name = name;
  }

  static async create(
    client: KubeClient,
    namespace: string,
    options: ClusterOptions = {},
  ): Promise<LiveCluster> {
    const stored = await client.create(DASK_CLUSTERS, { namespace }, manifest(options));
    return new LiveCluster(client, namespace, stored.metadata.name);
  }

  /** Waits until the scheduler and all workers run. */
  static async running(
    client: KubeClient,
    namespace: string,
    options: ClusterOptions = {},
  ): Promise<LiveCluster> {
    const cluster = await LiveCluster.create(client, namespace, options);
    await cluster.untilReady();
    return cluster;
  }

  async get(): Promise<DaskCluster> {
    const at = { namespace: this.namespace, name: this.name };
    return stripBookkeeping(await this.client.get<DaskCluster>(DASK_CLUSTERS, at));
  }

  async patch(body: object): Promise<void> {
    const at = { namespace: this.namespace, name: this.name };
    await this.client.patch(DASK_CLUSTERS, at, { type: 'merge', body });
  }

  scale(replicas: number): Promise<void> {
    return this.patch({ spec: { worker: { replicas } } });
  }

  async delete(): Promise<void> {
    await this.client.delete(DASK_CLUSTERS, { namespace: this.namespace, name: this.name });
  }

  until(what: string, isDone: (cluster: DaskCluster) => boolean, timeoutMs = 20_000): Promise<DaskCluster> {
    return poll(`${this.name} ${what}`, () => this.get(), isDone, { timeoutMs });
  }

  untilReady(timeoutMs?: number): Promise<DaskCluster> {
    const isReady = (cluster: DaskCluster): boolean =>
      condition(cluster, 'Ready')?.status === 'True' &&
      cluster.status?.observedGeneration === cluster.metadata.generation;
    return this.until('to be Ready', isReady, timeoutMs);
  }

  untilStalled(reason: string, timeoutMs?: number): Promise<DaskCluster> {
    const isStalled = (cluster: DaskCluster): boolean => {
      const stalled = condition(cluster, 'Stalled');
      return stalled?.status === 'True' && stalled.reason === reason;
    };
    return this.until(`to be Stalled (${reason})`, isStalled, timeoutMs);
  }

  scheduler(): Promise<Pod> {
    const at = { namespace: this.namespace, name: `dask-scheduler-${this.name}` };
    return this.client.get<Pod>(PODS, at);
  }

  service(): Promise<Service> {
    return this.client.get<Service>(SERVICES, { namespace: this.namespace, name: `dask-${this.name}` });
  }

  untilService(isDone: (service: Service) => boolean): Promise<Service> {
    return poll(`the Service of ${this.name}`, () => this.service(), isDone);
  }

  secret(): Promise<Secret> {
    const at = { namespace: this.namespace, name: `dask-credentials-${this.name}` };
    return this.client.get<Secret>(SECRETS, at);
  }

  /** Those that are not on their way out, in the order of their numbers. */
  async workers(): Promise<readonly Pod[]> {
    const pods = await this.list<Pod>(PODS, 'worker');
    return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).sort(byNumber);
  }

  async workerNames(): Promise<readonly string[]> {
    return (await this.workers()).map(({ metadata }) => metadata.name ?? '');
  }

  untilWorkers(what: string, isDone: (workers: readonly Pod[]) => boolean): Promise<readonly Pod[]> {
    return poll(`${what} of ${this.name}`, () => this.workers(), isDone);
  }

  /** Everything that is labelled as this cluster's, as `Kind/name`. */
  async children(): Promise<readonly string[]> {
    const lists = await Promise.all(
      [PODS, SERVICES, SECRETS].map(async (resource) =>
        (await this.list(resource)).map(({ metadata }) => `${resource.kind}/${metadata.name ?? ''}`),
      ),
    );
    return lists.flat();
  }

  untilChildren(...expected: readonly string[]): Promise<readonly string[]> {
    const areAll = (children: readonly string[]): boolean => String(children) === String(expected);
    return poll(`the children of ${this.name} to be ${String(expected)}`, () => this.children(), areAll);
  }

  untilNothingLeft(): Promise<readonly string[]> {
    return poll(
      `nothing of ${this.name} to be left`,
      () => this.children(),
      ({ length }) => length === 0,
    );
  }

  /** The kubelet is kwok, which leaves a pod alone that is not Pending: the test says how it ended. */
  async tellStatus(pod: Pod, status: PodStatus): Promise<void> {
    const at = { namespace: this.namespace, name: pod.metadata.name ?? '', subresource: 'status' };
    await this.client.patch(PODS, at, { type: 'merge', body: { status } });
  }

  endPod(pod: Pod, exitCode: number, message = 'last words'): Promise<void> {
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    const finishedAt = new Date().toISOString();
    const terminated = { exitCode, reason, message, startedAt: finishedAt, finishedAt };
    const name = pod.spec.containers[0]?.name ?? '';
    const image = pod.spec.containers[0]?.image ?? '';
    return this.tellStatus(pod, {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: finishedAt }],
      containerStatuses: [
        { name, image, imageID: '', ready: false, restartCount: 0, state: { terminated } } as never,
      ],
    });
  }

  async deletePod(pod: Pod): Promise<void> {
    await this.client.delete(PODS, { namespace: this.namespace, name: pod.metadata.name ?? '' });
  }

  /** The Events about this very object. */
  async events(): Promise<readonly EventObject[]> {
    const [{ items }, { metadata }] = await Promise.all([
      this.client.list<EventObject>(EVENTS, { namespace: this.namespace }),
      this.get(),
    ]);
    return items.filter(({ regarding }) => regarding.uid === metadata.uid);
  }

  untilEvent(reason: string): Promise<readonly EventObject[]> {
    return poll(
      `an Event ${reason} of ${this.name}`,
      () => this.events(),
      (events) => events.some((event) => event.reason === reason),
    );
  }

  private async list<T extends KubeObject>(resource: Resource, role?: Role): Promise<readonly T[]> {
    const component = role === undefined ? '' : `,${COMPONENT_LABEL}=${ROLE_COMPONENT[role]}`;
    const labelSelector = `${CLUSTER_LABEL}=${this.name}${component}`;
    return (await this.client.list<T>(resource, { namespace: this.namespace, labelSelector })).items;
  }
}

export function condition(cluster: DaskCluster, type: Condition['type']): Condition | undefined {
  return cluster.status?.conditions?.find((one) => one.type === type);
}

/** The object, or undefined where there is none. */
export async function orAbsent<T>(object: Promise<T>): Promise<T | undefined> {
  return object.catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

function byNumber(one: Pod, other: Pod): number {
  const number = ({ metadata }: Pod): number => Number(metadata.labels?.['daskwarden.dev/slot']);
  return number(one) - number(other);
}
