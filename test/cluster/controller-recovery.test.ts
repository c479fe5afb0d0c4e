import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DASK_CLUSTERS } from '../../src/api/dask-cluster.ts';
import {
  type KubeObject,
  MUTATING_WEBHOOKS,
  type Pod,
  PODS,
  type Resource,
  SERVICES,
  VALIDATING_WEBHOOKS,
} from '../../src/api/kubernetes.ts';
import { createNamespace } from '../support/admin.ts';
import { type AuditedCall, AuditedProduct, PRODUCT_NAMESPACE } from '../support/audited-product.ts';
import { IMAGE } from '../support/builders.ts';
import { condition, LiveCluster, manifest } from '../support/live-cluster.ts';
import { poll } from '../support/poll.ts';

let bench: AuditedProduct;
let namespace: string;
/** When the API server was away, in epoch milliseconds: as it comes back it knows no rights yet for a moment. */
const away = { from: 0, to: 0 };
/** Three clusters that nobody touches. */
let settled: readonly LiveCluster[];

beforeAll(async () => {
  bench = await AuditedProduct.start();
  namespace = await createNamespace(bench.client);
  settled = await Promise.all(
    ['one', 'two', 'three'].map((name) =>
      LiveCluster.running(bench.client, namespace, { name, replicas: 2 }),
    ),
  );
});

afterAll(async () => {
  await bench.stop();
});

async function versions(clusters: readonly LiveCluster[]): Promise<readonly unknown[]> {
  const objects = await Promise.all(
    clusters.map(async (cluster) => [
      await cluster.get(),
      await cluster.service(),
      await cluster.secret(),
      await cluster.scheduler(),
      ...(await cluster.workers()),
    ]),
  );
  return objects.flat().map(({ metadata }) => metadata.resourceVersion);
}

/** Names of workers in the order in which they were made, for as long as the signal lets it. */
async function watchedNames(cluster: LiveCluster, signal: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  const labelSelector = `gateway.dask.org/cluster=${cluster.name}`;
  const { resourceVersion } = await bench.client.list<Pod>(PODS, { namespace, labelSelector });
  const watch = async (): Promise<void> => {
    const query = { namespace, labelSelector, resourceVersion, timeoutSeconds: 120 };
    for await (const { type, object } of bench.client.watch<Pod>(PODS, query, signal)) {
      if (type === 'ADDED') names.push(object.metadata.name ?? '');
    }
  };
  watch().catch(() => undefined);
  return names;
}

describe('the controller', () => {
  it('makes no call but its watches while there is nothing to do', async () => {
    const before = await versions(settled);
    const from = Date.now();
    await delay(10_000);
    const idle = (await bench.calls()).filter(({ part, at }) => part === 'controller' && at >= from);
    expect(idle.filter(({ verb }) => verb !== 'watch')).toEqual([]);
    expect(await versions(settled)).toEqual(before);
  });

  it('goes on where it was killed: no worker too many, no name twice, and the others are left alone', async () => {
    const big = await LiveCluster.running(bench.client, namespace, { name: 'big', replicas: 0 });
    const watching = new AbortController();
    const made = await watchedNames(big, watching.signal);
    const before = await versions(settled);
    await big.scale(50);
    await poll(
      'some of the workers to be made',
      () => Promise.resolve(made.length),
      (count) => count >= 10,
      { intervalMs: 1 },
    );
    process.kill(bench.product.processes.controller.process.pid, 'SIGKILL');
    await bench.product.processes.controller.process.ended;
    const { length: madeBefore } = await big.workers();
    console.log(`killed when ${madeBefore} of 50 workers were made`);
    expect(madeBefore).toBeLessThan(50);
    await bench.restart('controller');
    const done = await big.until('to have 50 workers', ({ status }) => status?.workers?.running === 50);
    expect(done.status?.workers?.pending).toBe(0);
    const names = await big.workerNames();
    expect(names).toHaveLength(50);
    expect([...made].sort()).toEqual([...names].sort());
    expect(new Set(made).size).toBe(50);
    expect(await versions(settled)).toEqual(before);
    watching.abort();
    await big.patch({ spec: { active: false } });
    await big.untilNothingLeft();
  });

  it('goes on when the API server was away', async () => {
    const { pid } = bench.product.processes.controller.process;
    const [cluster] = settled;
    away.from = Date.now();
    await bench.plane.restart('kube-apiserver', new AbortController().signal);
    await cluster!.scale(3);
    await cluster!.untilWorkers('three workers', ({ length }) => length === 3);
    away.to = Date.now();
    expect(bench.product.processes.controller.process).toMatchObject({ pid, running: true });
  });

  it('tells that the webhook is away, and goes on when it is back', async () => {
    const [, cluster] = settled;
    await bench.product.processes.webhook.stop();
    const [worker] = await cluster!.workers();
    await cluster!.deletePod(worker!);
    const refused = await cluster!.untilStalled('WriteRefused');
    expect(refused.status?.message).toContain('failed calling webhook "inject.pods.daskwarden.dev"');
    expect(refused.status).toMatchObject({ phase: 'Running', workers: { running: 1, desired: 2 } });
    await bench.restart('webhook');
    await cluster!.untilReady();
    expect(await cluster!.workerNames()).toHaveLength(2);
  });
});

describe('while the registrations are gone', () => {
  const INVALID = { volumes: [{ name: 'dask-credentials', emptyDir: {} }] };

  async function withoutRegistrations(meanwhile: () => Promise<void>): Promise<void> {
    const at = { name: 'daskwarden' };
    const kept: { readonly resource: Resource; readonly object: KubeObject }[] = [];
    for (const resource of [MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS]) {
      const { metadata, ...object } = await bench.client.get(resource, at);
      kept.push({ resource, object: { ...object, metadata: { name: metadata.name ?? '' } } });
      await bench.client.delete(resource, at);
    }
    try {
      await meanwhile();
    } finally {
      for (const { resource, object } of kept) await bench.client.create(resource, {}, object);
    }
  }

  it('pods come without credentials and are taken back; what is invalid is not worked on', async () => {
    const [, , cluster] = settled;
    const invalid = new LiveCluster(bench.client, namespace, 'invalid');
    await withoutRegistrations(async () => {
      const create = (): Promise<unknown> =>
        bench.client.create(DASK_CLUSTERS, { namespace }, manifest({ name: 'invalid', worker: INVALID }));
      await poll('the invalid cluster to slip in', create, () => true);
      const [worker] = await cluster!.workers();
      await cluster!.deletePod(worker!);
      const bare = await cluster!.untilStalled('InjectionMissing');
      expect(condition(bare, 'CredentialsReady')).toMatchObject({
        status: 'False',
        reason: 'InjectionMissing',
      });
      expect(bare.status).toMatchObject({ phase: 'Running', workers: { running: 1 } });
      expect(bare.status?.message).toContain("the webhook 'inject.pods.daskwarden.dev' is missing");
      await cluster!.untilWorkers('one worker', ({ length }) => length === 1);

      const stalled = await invalid.untilStalled('InvalidSpec');
      expect(stalled.status?.message).toContain('spec.worker.template.spec.volumes[0].name');
      expect(stalled.status).not.toHaveProperty('credentials');
      expect(await invalid.children()).toEqual([]);
      await invalid.untilEvent('InvalidSpec');
    });
    await cluster!.untilReady();
    const workers = await cluster!.workers();
    expect(workers.map(({ spec }) => spec.volumes?.[0]?.name)).toHaveLength(2);
    for (const { spec } of workers)
      expect(spec.volumes?.map(({ name }) => name)).toContain('dask-credentials');

    expect(await invalid.children()).toEqual([]);
    await invalid.patch({ spec: { worker: { template: { spec: { volumes: null } } } } });
    await invalid.untilReady();
  });
});

describe('the rights of the product', () => {
  /** Granted, but for no call of its own. */
  const NO_CALLS: Readonly<Record<string, string>> = {
    'controller update daskclusters/finalizers':
      'OwnerReferencesPermissionEnforcement asks for it when a child with blockOwnerDeletion is created',
    'controller patch secrets':
      "what pods that connect from another namespace mount, and the webhooks' authority, when they are renewed",
  };

  interface Role extends KubeObject {
    readonly rules: readonly {
      readonly apiGroups: readonly string[];
      readonly resources: readonly string[];
      readonly verbs: readonly string[];
    }[];
  }

  const rbac = (plural: string, kind: string, namespaced: boolean): Resource => ({
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    plural,
    kind,
    namespaced,
  });

  async function grants(part: string, resource: Resource, name: string): Promise<readonly string[]> {
    const at = { name, namespace: resource.namespaced ? PRODUCT_NAMESPACE : undefined };
    const { rules } = await bench.client.get<Role>(resource, at);
    return rules.flatMap(({ resources, verbs }) =>
      resources.flatMap((granted) => verbs.map((verb) => `${part} ${verb} ${granted}`)),
    );
  }

  /** What no other test of this file brings about: names that are taken, and an Event that repeats. */
  async function meetTheRest(): Promise<void> {
    const { client } = bench;
    const pod = {
      metadata: { name: 'dask-scheduler-pod-taken' },
      spec: { containers: [{ name: 'c', image: IMAGE }] },
    };
    await client.create<KubeObject>(PODS, { namespace }, pod);
    const service = { metadata: { name: 'dask-service-taken' }, spec: { ports: [{ port: 80 }] } };
    await client.create<KubeObject>(SERVICES, { namespace }, service);
    const taken = await Promise.all(
      ['pod-taken', 'service-taken'].map((name) => LiveCluster.create(client, namespace, { name })),
    );
    await Promise.all(taken.map((cluster) => cluster.untilStalled('NameConflict')));
    const again = await LiveCluster.running(client, namespace, { name: 'again', replicas: 1 });
    for (const made of [2, 3]) {
      const [worker] = await again.workers();
      await again.deletePod(worker!);
      await again.until('to have another worker', ({ status }) => status?.workers?.nextSlot === made);
      await again.untilReady();
    }
  }

  it('suffice for every call, and none of them is without use', async () => {
    await meetTheRest();
    const granted = [
      ...(await grants(
        'controller',
        rbac('clusterroles', 'ClusterRole', false),
        `daskwarden-controller-${PRODUCT_NAMESPACE}`,
      )),
      ...(await grants('webhook', rbac('roles', 'Role', true), 'daskwarden-webhook')),
    ];
    const name = ({ part, verb, resource }: AuditedCall): string => `${part} ${verb} ${resource}`;
    const unused = async (): Promise<readonly string[]> => {
      const used = new Set((await bench.calls()).map(name));
      return granted.filter((grant) => !used.has(grant) && NO_CALLS[grant] === undefined);
    };
    await poll('every right to be used', unused, ({ length }) => length === 0);
    const calls = await bench.calls();
    expect(new Set(calls.map(({ part }) => part))).toEqual(new Set(['controller', 'webhook']));
    const isSettled = ({ at }: AuditedCall): boolean => at < away.from || at > away.to;
    expect(calls.filter((call) => !call.allowed && isSettled(call))).toEqual([]);
    for (const { verb, resource, name: object } of calls.filter(({ resource }) => resource === 'secrets'))
      expect(object, `${verb} ${resource}`).not.toBe('');
  });
});
