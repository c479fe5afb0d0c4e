import { describe, expect } from 'vitest';
import { type KubeObject, PODS, type Resource, SECRETS, SERVICES } from '../../src/api/kubernetes.ts';
import { clusterTest as it } from '../support/cluster-test.ts';
import { IMAGE } from '../support/builders.ts';
import { condition, LiveCluster } from '../support/live-cluster.ts';

interface Foreign {
  readonly resource: Resource;
  readonly object: object;
}

const CLUSTER = { 'gateway.dask.org/cluster': 'demo' };
const FOREIGN: Readonly<Record<string, Foreign>> = {
  Secret: {
    resource: SECRETS,
    object: { metadata: { name: 'dask-credentials-demo' }, stringData: { 'dask.crt': 'mine' } },
  },
  Service: {
    resource: SERVICES,
    object: { metadata: { name: 'dask-demo' }, spec: { ports: [{ port: 80 }] } },
  },
  'Service with our label': {
    resource: SERVICES,
    object: { metadata: { name: 'dask-demo', labels: CLUSTER }, spec: { ports: [{ port: 80 }] } },
  },
  Pod: {
    resource: PODS,
    object: {
      metadata: { name: 'dask-scheduler-demo' },
      spec: { containers: [{ name: 'c', image: IMAGE }] },
    },
  },
};

describe.concurrent('a name that a cluster needs', () => {
  for (const [what, { resource, object }] of Object.entries(FOREIGN)) {
    it(`may be taken by a ${what} of somebody else's, which is left alone and waited for`, async ({
      client,
      namespace,
    }) => {
      const foreign = await client.create<KubeObject>(resource, { namespace }, object as KubeObject);
      const cluster = await LiveCluster.create(client, namespace);
      const { status } = await cluster.untilStalled('NameConflict');
      const name = foreign.metadata.name ?? '';
      expect(status?.message).toContain(`${resource.kind} '${name}' of this namespace belongs to somebody`);
      expect(status?.phase).toBe('Pending');
      const events = await cluster.untilEvent('NameConflict');
      expect(events.filter(({ reason }) => reason === 'NameConflict')).toHaveLength(1);
      const made = (await cluster.children()).filter((child) => child.startsWith('Pod/'));
      expect(made).toEqual([]);

      const untouched = await client.get(resource, { namespace, name });
      expect(untouched.metadata).toMatchObject({ uid: foreign.metadata.uid });
      expect(untouched.metadata.ownerReferences).toBeUndefined();
      await client.delete(resource, { namespace, name });
      const running = await cluster.untilReady();
      expect(running.status?.phase).toBe('Running');
      expect(condition(running, 'Stalled')).toMatchObject({ status: 'False' });
    });
  }

  it('may be taken later: what runs goes on', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace);
    const { uid } = (await cluster.scheduler()).metadata;
    await cluster.patch({ metadata: { annotations: { 'daskwarden.dev/paused': 'true' } } });
    await client.delete(SERVICES, { namespace, name: 'dask-demo' });
    await client.create(SERVICES, { namespace }, FOREIGN['Service']?.object as KubeObject);
    await cluster.patch({ metadata: { annotations: { 'daskwarden.dev/paused': null } } });
    const stalled = await cluster.untilStalled('NameConflict');
    expect(stalled.status).toMatchObject({ phase: 'Running', credentials: 'dask-credentials-demo' });
    expect((await cluster.scheduler()).metadata.uid).toBe(uid);
    await client.delete(SERVICES, { namespace, name: 'dask-demo' });
    await cluster.untilReady();
    expect((await cluster.scheduler()).metadata.uid).toBe(uid);
  });

  it('is freed when its own Service lost the label by which it is seen', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace);
    const before = await cluster.service();
    const body = { metadata: { labels: { 'gateway.dask.org/cluster': null } } };
    await client.patch(SERVICES, { namespace, name: 'dask-demo' }, { type: 'merge', body });
    await cluster.untilService(({ metadata }) => metadata.uid !== before.metadata.uid);
    const service = await cluster.untilService(({ metadata }) => metadata.labels?.[CLUSTER_KEY] === 'demo');
    expect(service.spec.selector).toEqual(before.spec.selector);
    await cluster.untilReady();
  });
});

const [CLUSTER_KEY = ''] = Object.keys(CLUSTER);

describe.concurrent('a write that the API server refuses', () => {
  it('is told with its reason, tried again, and forgotten when it succeeds', async ({
    client,
    namespace,
  }) => {
    const quotas: Resource = { ...PODS, plural: 'resourcequotas', kind: 'ResourceQuota' };
    const quota = { metadata: { name: 'few' }, spec: { hard: { pods: '2' } } } as KubeObject;
    await client.create(quotas, { namespace }, quota);
    const cluster = await LiveCluster.create(client, namespace, { replicas: 2 });
    await cluster.until('to have one worker', ({ status }) => status?.workers?.running === 1);
    const refused = await cluster.untilStalled('WriteRefused');
    expect(refused.status?.phase).toBe('Running');
    expect(refused.status?.message).toContain('exceeded quota: few');
    expect(condition(refused, 'Ready')).toMatchObject({ status: 'False', reason: 'WriteRefused' });
    await cluster.untilEvent('WriteRefused');
    // Every attempt uses up a number; were they not held back, these would be made in no time.
    const from = performance.now();
    const { nextSlot } = refused.status!.workers!;
    await cluster.until('to be tried again', ({ status }) => status!.workers!.nextSlot >= nextSlot + 4);
    expect(performance.now() - from).toBeGreaterThan(1_000);
    const body = { spec: { hard: { pods: '10' } } };
    await client.patch(quotas, { namespace, name: 'few' }, { type: 'merge', body });
    const ready = await cluster.untilReady();
    expect(condition(ready, 'Stalled')).toMatchObject({ status: 'False' });
    expect(await cluster.workerNames()).toHaveLength(2);
  });
});
