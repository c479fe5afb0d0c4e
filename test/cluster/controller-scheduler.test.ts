import { describe, expect } from 'vitest';
import { clusterTest as it } from '../support/cluster-test.ts';
import { condition, LiveCluster, orAbsent } from '../support/live-cluster.ts';

describe.concurrent('a scheduler', () => {
  it('that failed is restarted with its workers; Secret and Service stay', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 2 });
    const uids = async (): Promise<readonly unknown[]> => [
      (await cluster.secret()).metadata.uid,
      (await cluster.service()).metadata.uid,
    ];
    const before = { uids: await uids(), workers: await cluster.workerNames() };
    await cluster.endPod(await cluster.scheduler(), 1, 'Traceback');
    await cluster.until('to begin anew', ({ status }) => status?.incarnation === 2);
    const { status } = await cluster.untilReady();
    expect(status).toMatchObject({
      phase: 'Running',
      incarnation: 2,
      schedulerRestarts: 1,
      lastTermination: { role: 'scheduler', exitCode: 1, message: 'Traceback' },
      workers: { running: 2, consecutiveFailures: 0 },
    });
    expect(await uids()).toEqual(before.uids);
    const names = await cluster.workerNames();
    expect(names.filter((name) => before.workers.includes(name))).toEqual([]);
    expect((await cluster.scheduler()).metadata.labels).toMatchObject({ 'daskwarden.dev/incarnation': '2' });
    const events = await cluster.untilEvent('SchedulerRestarted');
    expect(events.find(({ reason }) => reason === 'SchedulerRestarted')?.note).toContain('(1 of 3)');
  });

  it('that failed once too often fails the cluster: its pod is kept, the rest goes', async ({
    client,
    namespace,
  }) => {
    const cluster = await LiveCluster.running(client, namespace, {
      replicas: 2,
      spec: { lifecycle: { schedulerRestarts: 0 } },
    });
    const { metadata } = await cluster.scheduler();
    await cluster.endPod(await cluster.scheduler(), 3, 'no such module');
    const failed = await cluster.until('to be Failed, without its credentials', ({ status }) => {
      return status?.phase === 'Failed' && status.credentials === undefined;
    });
    expect(failed.status?.completionTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(failed.status?.message).toBe('the scheduler ended with exit code 3 (Error), once too often');
    expect(failed.status?.lastTermination).toMatchObject({ exitCode: 3, message: 'no such module' });
    expect(condition(failed, 'Stalled')).toMatchObject({ status: 'True', reason: 'SchedulerFailed' });
    await cluster.untilChildren('Pod/dask-scheduler-demo');
    expect((await cluster.scheduler()).metadata.uid).toBe(metadata.uid);
    await cluster.untilEvent('SchedulerFailed');
    await cluster.delete();
    await cluster.untilNothingLeft();
  });

  it('that ended by itself completes the cluster', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 1 });
    await cluster.endPod(await cluster.scheduler(), 0);
    await cluster.untilNothingLeft();
    const done = await cluster.until('to be Stopped', ({ status }) => status?.credentials === undefined);
    expect(done.status?.phase).toBe('Stopped');
    expect(condition(done, 'Ready')).toMatchObject({ status: 'False', reason: 'Completed' });
    expect(condition(done, 'Stalled')).toMatchObject({ status: 'False' });
    await cluster.untilEvent('Completed');
  });

  it('that is deleted or evicted is begun anew, at no cost', async ({ client, namespace }) => {
    const cluster = await LiveCluster.running(client, namespace, { replicas: 1 });
    await cluster.deletePod(await cluster.scheduler());
    await cluster.until('to begin anew', ({ status }) => status?.incarnation === 2);
    await cluster.untilReady();
    const evicted = await cluster.scheduler();
    await cluster.tellStatus(evicted, { phase: 'Failed', reason: 'Evicted', message: 'low on memory' });
    await cluster.until('to begin anew', ({ status }) => status?.incarnation === 3);
    const { status } = await cluster.untilReady();
    expect(status).toMatchObject({ schedulerRestarts: 0, workers: { running: 1 } });
    expect((await cluster.workers())[0]?.metadata.labels).toMatchObject({
      'daskwarden.dev/incarnation': '3',
    });
    expect(await orAbsent(cluster.secret())).toBeDefined();
  });
});
