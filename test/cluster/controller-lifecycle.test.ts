import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect } from 'vitest';
import { DASK_CLUSTERS } from '../../src/api/dask-cluster.ts';
import { type Pod, PODS } from '../../src/api/kubernetes.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { clusterTest as it } from '../support/cluster-test.ts';
import { condition, LiveCluster, manifest, orAbsent } from '../support/live-cluster.ts';
import { SOON_MS } from '../support/soon.ts';

/** When each thing was first seen by a watch, in milliseconds since its start. */
interface Sightings {
  schedulerRunning: number | undefined;
  readonly workersCreated: Map<string, number>;
}

async function watchPods(client: KubeClient, namespace: string, signal: AbortSignal): Promise<Sightings> {
  const { resourceVersion } = await client.list<Pod>(PODS, { namespace });
  const seen: Sightings = { schedulerRunning: undefined, workersCreated: new Map() };
  const watch = async (): Promise<void> => {
    const query = { namespace, resourceVersion, timeoutSeconds: 60 };
    for await (const event of client.watch<Pod>(PODS, query, signal)) {
      if (event.type === 'BOOKMARK') continue;
      const { type, object } = event;
      const { name = '' } = object.metadata;
      const at = performance.now();
      if (name.startsWith('dask-worker-') && type === 'ADDED') seen.workersCreated.set(name, at);
      if (name.startsWith('dask-scheduler-') && object.status?.phase === 'Running')
        seen.schedulerRunning ??= at;
    }
  };
  watch().catch(() => undefined);
  return seen;
}

describe.concurrent('a cluster that is applied', () => {
  it('is Running with its workers, which are created as soon as the scheduler runs', async ({
    client,
    namespace,
  }) => {
    const watching = new AbortController();
    const seen = await watchPods(client, namespace, watching.signal);
    const cluster = await LiveCluster.running(client, namespace, { replicas: 5 });
    watching.abort();
    expect(seen.workersCreated.size).toBe(5);
    const delayMs = Math.max(...seen.workersCreated.values()) - seen.schedulerRunning!;
    console.log(`five workers created ${delayMs.toFixed(0)} ms after the scheduler was Running`);
    expect(delayMs).toBeLessThan(SOON_MS);
    const { status } = await cluster.get();
    expect(status).toMatchObject({
      phase: 'Running',
      form: 'template',
      incarnation: 1,
      credentials: 'dask-credentials-demo',
      service: 'dask-demo',
      schedulerPod: 'dask-scheduler-demo',
      workers: { desired: 5, running: 5, pending: 0, failed: 0 },
    });
    expect(status?.conditions?.map(({ type, status: is }) => `${type}=${is}`)).toEqual([
      'Ready=True',
      'Progressing=False',
      'Stalled=False',
      'CredentialsReady=True',
      'SchedulerReady=True',
      'WorkersReady=True',
    ]);
  });

  it("has children with the contract's names, labels and owner, and with its credentials", async ({
    client,
    namespace,
  }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 2 });
    const { metadata } = await cluster.get();
    const [service, secret, scheduler] = await Promise.all([
      cluster.service(),
      cluster.secret(),
      cluster.scheduler(),
    ]);
    const workers = await cluster.workers();
    for (const child of [service, secret, scheduler, ...workers]) {
      expect(child.metadata.ownerReferences).toEqual([
        {
          apiVersion: 'gateway.dask.org/v1alpha1',
          kind: 'DaskCluster',
          name: 'demo',
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
      expect(child.metadata.labels).toMatchObject({
        'app.kubernetes.io/name': 'dask',
        'app.kubernetes.io/managed-by': 'daskwarden',
        'gateway.dask.org/instance': 'daskwarden',
        'gateway.dask.org/cluster': 'demo',
      });
    }
    const component = ({ metadata: { labels } }: Pod): string | undefined =>
      labels?.['app.kubernetes.io/component'];
    expect([secret, scheduler, ...workers].map((child) => component(child as Pod))).toEqual([
      'credentials',
      'dask-scheduler',
      'dask-worker',
      'dask-worker',
    ]);
    const prefix = `dask-worker-demo-${metadata.uid!.slice(0, 8)}`;
    expect(workers.map((worker) => worker.metadata.name)).toEqual([`${prefix}-0`, `${prefix}-1`]);
    expect(service.spec).toMatchObject({
      clusterIP: 'None',
      selector: { 'gateway.dask.org/cluster': 'demo', 'app.kubernetes.io/component': 'dask-scheduler' },
    });
    expect(service.spec.ports?.map(({ name, port }) => [name, port])).toEqual([
      ['scheduler', 8786],
      ['dashboard', 8787],
    ]);
    for (const { spec } of [scheduler, ...workers]) {
      expect(spec.volumes).toContainEqual({
        name: 'dask-credentials',
        secret: { secretName: 'dask-credentials-demo', defaultMode: 420 },
      });
      const [dask] = spec.containers;
      expect(dask?.volumeMounts).toContainEqual({
        name: 'dask-credentials',
        mountPath: '/etc/dask-credentials',
        readOnly: true,
      });
      expect(dask?.env).toContainEqual({
        name: 'DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION',
        value: 'True',
      });
    }
  });

  it('has a Secret with a certificate, its key, and a token', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 0 });
    const { data = {} } = await cluster.secret();
    const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
    expect(Object.keys(data).sort()).toEqual(['api-token', 'dask.crt', 'dask.pem']);
    const certificate = new X509Certificate(text('dask.crt'));
    expect(certificate.checkPrivateKey(createPrivateKey(text('dask.pem')))).toBe(true);
    expect(text('api-token')).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is left alone once it is as it should be: nothing of it is ever written again', async ({
    client,
    namespace,
  }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 3 });
    const versions = async (): Promise<readonly unknown[]> => [
      (await cluster.get()).metadata.resourceVersion,
      (await cluster.service()).metadata.resourceVersion,
      (await cluster.secret()).metadata.resourceVersion,
      (await cluster.scheduler()).metadata.resourceVersion,
      ...(await cluster.workers()).map(({ metadata }) => metadata.resourceVersion),
    ];
    const before = await versions();
    // Something that the controller sees and has nothing to do about: when it is through with it, it has looked.
    const [worker] = await cluster.workers();
    await cluster.tellStatus(worker!, { message: 'from afar' });
    const other = await LiveCluster.running(client, namespace, { name: 'other', replicas: 1 });
    const after = await versions();
    expect(after.filter((version, index) => version !== before[index])).toHaveLength(1);
    expect(after[0]).toBe(before[0]);
    await other.delete();
  });

  it('tells what it did in Events that people find', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 2 });
    const events = await cluster.untilEvent('WorkersCreated');
    expect(events.find(({ reason }) => reason === 'WorkersCreated')).toMatchObject({
      type: 'Normal',
      note: 'created 2 workers',
      reportingController: 'daskwarden.dev/controller',
      regarding: { kind: 'DaskCluster', name: 'demo', apiVersion: 'gateway.dask.org/v1alpha1' },
    });
    expect(events.filter(({ type }) => type !== 'Normal')).toEqual([]);
  });

  it('does not disturb another one, whose name begins as its own', async ({ client, namespace }) => {
    const [one, other] = await Promise.all([
      LiveCluster.running(client, namespace, { name: 'a', replicas: 2 }),
      LiveCluster.running(client, namespace, { name: 'a-b', replicas: 2 }),
    ]);
    const before = [await other.workerNames(), (await other.scheduler()).metadata.uid];
    await one.scale(0);
    await one.untilWorkers('no worker', ({ length }) => length === 0);
    await one.patch({ spec: { active: false } });
    await one.untilNothingLeft();
    expect([await other.workerNames(), (await other.scheduler()).metadata.uid]).toEqual(before);
    expect(condition(await other.get(), 'Ready')).toMatchObject({ status: 'True' });
  });
});

describe.concurrent('a cluster that is switched off', () => {
  it('is Stopped and has nothing left; switched on, it starts a new incarnation', async ({
    client,
    namespace,
  }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 2 });
    const before = { secret: await cluster.secret(), workers: await cluster.workerNames() };
    await cluster.patch({ spec: { active: false } });
    await cluster.untilNothingLeft();
    const stopped = await cluster.until('to be Stopped', ({ status }) => {
      return status?.phase === 'Stopped' && status.workers?.running === 0;
    });
    expect(stopped.status?.completionTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(stopped.status).not.toHaveProperty('credentials');
    expect(condition(stopped, 'Ready')).toMatchObject({ status: 'False', reason: 'Inactive' });

    await cluster.patch({ spec: { active: true } });
    const running = await cluster.untilReady();
    expect(running.status).toMatchObject({ phase: 'Running', incarnation: 2, schedulerRestarts: 0 });
    expect(running.status).toMatchObject({ credentials: 'dask-credentials-demo' });
    expect(running.status).not.toHaveProperty('completionTime');
    expect((await cluster.secret()).data).not.toEqual(before.secret.data);
    const names = await cluster.workerNames();
    expect(names).toHaveLength(2);
    expect(names.filter((name) => before.workers.includes(name))).toEqual([]);
  });

  it('has nothing when it was never on', async ({ client, namespace }) => {
    const cluster = await LiveCluster.create(client, namespace, { spec: { active: false } });
    await cluster.until('to be Stopped', ({ status }) => status?.phase === 'Stopped');
    expect(await cluster.children()).toEqual([]);
    await cluster.patch({ spec: { active: true } });
    await cluster.untilReady();
  });
});

describe.concurrent('a cluster that is deleted', () => {
  it('leaves nothing', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 3 });
    expect(await cluster.children()).toHaveLength(6);
    await cluster.delete();
    await cluster.untilNothingLeft();
    expect(await orAbsent(cluster.get())).toBeUndefined();
  });

  it('can be made anew at once under its name', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 2 });
    const before = { uid: (await cluster.get()).metadata.uid, secret: await cluster.secret() };
    await cluster.delete();
    await client.create(DASK_CLUSTERS, { namespace }, manifest({ replicas: 2 }));
    const { metadata, status } = await cluster.untilReady();
    expect(metadata.uid).not.toBe(before.uid);
    expect(status?.phase).toBe('Running');
    expect((await cluster.secret()).data).not.toEqual(before.secret.data);
    for (const child of [await cluster.service(), await cluster.scheduler(), ...(await cluster.workers())])
      expect(child.metadata.ownerReferences?.[0]?.uid).toBe(metadata.uid);
    expect((await cluster.events()).filter(({ reason }) => reason === 'NameConflict')).toEqual([]);
  });

  it('leaves nothing when it is deleted while it grows', async ({ client, namespace }) => {
    const cluster = await LiveCluster.create(client, namespace, { replicas: 30 });
    await cluster.untilWorkers('a worker', ({ length }) => length > 0);
    await cluster.delete();
    await cluster.untilNothingLeft();
  });
});

describe.concurrent('a paused cluster', () => {
  const PAUSED = { 'daskwarden.dev/paused': 'true' };

  it('is not begun before it is resumed', async ({ client, namespace }) => {
    const cluster = await LiveCluster.create(client, namespace, { annotations: PAUSED });
    // Made later and finished: the paused one had its turn.
    await LiveCluster.running(client, namespace, { name: 'other', replicas: 0 });
    expect(await cluster.children()).toEqual([]);
    expect((await cluster.get()).status).toBeUndefined();
    await cluster.patch({ metadata: { annotations: { 'daskwarden.dev/paused': null } } });
    await cluster.untilReady();
  });

  it('is left as it is, and mended when it is resumed', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 2 });
    await cluster.patch({ metadata: { annotations: PAUSED } });
    const [gone, stays] = await cluster.workers();
    await cluster.deletePod(gone!);
    await cluster.untilWorkers('one worker', ({ length }) => length === 1);
    await LiveCluster.running(client, namespace, { name: 'other', replicas: 0 });
    expect(await cluster.workerNames()).toEqual([stays?.metadata.name]);
    await cluster.patch({ metadata: { annotations: { 'daskwarden.dev/paused': null } } });
    await cluster.untilWorkers('two workers', ({ length }) => length === 2);
  });
});
