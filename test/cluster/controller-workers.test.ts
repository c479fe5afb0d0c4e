import { describe, expect } from 'vitest';
import type { DaskCluster } from '../../src/api/dask-cluster.ts';
import { type Secret, SECRETS, SERVICES } from '../../src/api/kubernetes.ts';
import { clusterTest as it } from '../support/cluster-test.ts';
import { condition, LiveCluster, NOWHERE, orAbsent } from '../support/live-cluster.ts';
import { poll } from '../support/poll.ts';

const runs =
  (workers: number) =>
  ({ status }: DaskCluster): boolean =>
    status?.workers?.running === workers && status.workers.pending + status.workers.failed === 0;

/** All that should run do, and so many were made in all. */
const replacedBy =
  (made: number) =>
  ({ status }: DaskCluster): boolean =>
    status?.workers?.running === status?.workers?.desired && status?.workers?.nextSlot === made;

describe.concurrent('a worker', () => {
  it('that is deleted is replaced at once, under a new name', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 3 });
    const [first, ...others] = await cluster.workerNames();
    const [worker] = await cluster.workers();
    await cluster.deletePod(worker!);
    const workers = await cluster.untilWorkers('three workers, the deleted one not among them', (pods) => {
      return pods.length === 3 && pods.every(({ metadata }) => metadata.name !== first);
    });
    expect(workers.slice(0, 2).map(({ metadata }) => metadata.name)).toEqual(others);
    expect(workers[2]?.metadata.labels).toMatchObject({ 'daskwarden.dev/slot': '3' });
    const { status } = await cluster.until('to have three workers', runs(3));
    expect(status).toMatchObject({ incarnation: 1, workers: { consecutiveFailures: 0 } });
    expect(status).not.toHaveProperty('lastTermination');
  });

  it('that failed is replaced after a while, and its last words are kept', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 2 });
    const [failed] = await cluster.workers();
    const failedAt = Date.now();
    await cluster.endPod(failed!, 137, 'out of memory');
    const { status } = await cluster.until('to have two workers again', replacedBy(3));
    // The first failure waits for a second, counted from a time that has no fractions of one.
    expect(Date.now()).toBeGreaterThanOrEqual(Math.floor(failedAt / 1_000) * 1_000 + 1_000);
    expect(status?.lastTermination).toMatchObject({
      role: 'worker',
      pod: failed?.metadata.name,
      container: 'dask-worker',
      exitCode: 137,
      reason: 'Error',
      message: 'out of memory',
    });
    expect(status?.workers).toMatchObject({ consecutiveFailures: 1, nextSlot: 3 });
    const events = await cluster.untilEvent('WorkerReplaced');
    expect(events.find(({ reason }) => reason === 'WorkerReplaced')).toMatchObject({
      type: 'Warning',
      note: `worker ${failed?.metadata.name} ended with exit code 137 (Error)`,
    });
  });

  it('that fails again is held longer', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 1 });
    const [first] = await cluster.workers();
    await cluster.endPod(first!, 1);
    await cluster.until('to have another worker', replacedBy(2));
    const [second] = await cluster.workers();
    await cluster.endPod(second!, 1);
    const { status } = await cluster.until('to show the failure', (now) => now.status?.workers?.failed === 1);
    expect(status?.workers).toMatchObject({ running: 0, pending: 0, nextSlot: 2 });
    expect(await cluster.workerNames()).toEqual([second?.metadata.name]);
    const after = await cluster.until('to have a third worker', replacedBy(3));
    expect(after.status?.workers?.consecutiveFailures).toBe(2);
  });

  it('that ended by itself, or was evicted, is replaced at once', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 3 });
    const [retired, evicted, stays] = await cluster.workers();
    await cluster.endPod(retired!, 0);
    await cluster.tellStatus(evicted!, { phase: 'Failed', reason: 'Evicted', message: 'low on memory' });
    const { status } = await cluster.until('to have new workers', replacedBy(5));
    expect(status?.workers?.consecutiveFailures).toBe(0);
    expect((await cluster.workerNames())[0]).toBe(stays?.metadata.name);
  });
});

describe.concurrent('the number of workers', () => {
  it('grows and shrinks; the newest go first', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 1 });
    await cluster.scale(4);
    await cluster.until('to have four workers', runs(4));
    const names = await cluster.workerNames();
    await cluster.scale(2);
    const { status } = await cluster.until('to have two workers', runs(2));
    expect(await cluster.workerNames()).toEqual(names.slice(0, 2));
    expect(status).toMatchObject({ phase: 'Running', workers: { desired: 2, nextSlot: 4 } });
    await cluster.scale(0);
    await cluster.until('to have no worker', runs(0));
    await cluster.scale(1);
    await cluster.until('to have a worker', runs(1));
    expect(names).not.toContain((await cluster.workerNames())[0]);
  });

  it('counts those that wait for a node, and takes them first', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 2 });
    const running = await cluster.workerNames();
    await cluster.patch({ spec: { worker: { replicas: 5, template: { spec: NOWHERE } } } });
    const waiting = await cluster.until('to have three workers that wait', ({ status }) => {
      return status?.workers?.pending === 3 && status.message?.includes('Unschedulable') === true;
    });
    expect(waiting.status).toMatchObject({ phase: 'Running', workers: { running: 2, desired: 5 } });
    expect(condition(waiting, 'Ready')).toMatchObject({ status: 'False', reason: 'Unschedulable' });
    expect(condition(waiting, 'WorkersReady')?.message).toBe('2 of 5 workers are running (Unschedulable)');

    await cluster.scale(4);
    await cluster.until('to have two workers that wait', ({ status }) => status?.workers?.pending === 2);
    await cluster.scale(2);
    await cluster.until('to have no worker that waits', runs(2));
    expect(await cluster.workerNames()).toEqual(running);
    await cluster.scale(1);
    await cluster.until('to have one worker', runs(1));
    expect(await cluster.workerNames()).toEqual(running.slice(0, 1));
  });
});

describe.concurrent('what the workers need', () => {
  it('is there again when the Service was deleted', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 1 });
    const { metadata } = await cluster.service();
    const { uid } = (await cluster.scheduler()).metadata;
    await client.delete(SERVICES, { namespace, name: 'dask-demo' });
    await cluster.untilService((service) => service.metadata.uid !== metadata.uid);
    expect((await cluster.get()).status?.phase).toBe('Running');
    expect((await cluster.scheduler()).metadata.uid).toBe(uid);
  });

  it('is put back with the same bytes before new workers are made', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 1 });
    const before = await cluster.secret();
    await client.delete(SECRETS, { namespace, name: 'dask-credentials-demo' });
    // What was seen five seconds ago is believed still: so it grows again and again.
    let replicas = 1;
    const grow = async (): Promise<Secret | undefined> => {
      replicas += 1;
      await cluster.scale(replicas);
      await cluster.until('to have one more worker', runs(replicas));
      return orAbsent(cluster.secret());
    };
    await poll('the Secret to be back', grow, (secret) => secret !== undefined, { intervalMs: 500 });
    const after = await cluster.secret();
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.data).toEqual(before.data);
    expect(condition(await cluster.get(), 'CredentialsReady')).toMatchObject({ status: 'True' });
  });
});
