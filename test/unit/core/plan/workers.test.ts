import { describe, expect, it } from 'vitest';
import type { DaskCluster } from '../../../../src/api/dask-cluster.ts';
import type { Pod } from '../../../../src/api/kubernetes.ts';
import type { Action } from '../../../../src/core/plan/action.ts';
import { plan } from '../../../../src/core/plan/plan.ts';
import {
  NOW,
  aCluster,
  anInput,
  aRunningStatus,
  aScheduler,
  at,
  aWorker,
} from '../../../support/builders.ts';

function running(replicas: number, nextSlot: number, workers: (cluster: DaskCluster) => Pod[], now = NOW) {
  const cluster = aCluster({ replicas, status: aRunningStatus({}, nextSlot) });
  return plan(anInput(cluster, { pods: [aScheduler(cluster, 'running'), ...workers(cluster)] }, now));
}

function created(actions: readonly Action[]): string[] {
  return actions.flatMap((action) => (action.kind === 'create-pod' ? [action.pod.metadata.name ?? ''] : []));
}

function deleted(actions: readonly Action[]): string[] {
  return actions.flatMap((action) =>
    action.kind === 'delete-pod' ? [`${action.target.name} ${action.reason}`] : [],
  );
}

const name = (slot: number): string => `dask-worker-demo-5f1e0c3a-${String(slot)}`;

describe('planWorkers', () => {
  it('brings the workers to replicas once the scheduler runs, and stores their numbers first', () => {
    const { actions, statusFirst, status } = running(3, 0, () => []);
    expect(created(actions)).toEqual([name(0), name(1), name(2)]);
    expect(statusFirst).toBe(true);
    expect(status.workers).toMatchObject({ desired: 3, running: 0, nextSlot: 3 });
  });

  it('never uses a number twice, also where the pod of a number is missing', () => {
    const { actions } = running(2, 7, (cluster) => [aWorker(cluster, 'running', 3)]);
    expect(created(actions)).toEqual([name(7)]);
  });

  it('counts unscheduled and pending workers', () => {
    const { actions } = running(2, 2, (cluster) => [
      aWorker(cluster, 'unscheduled', 0),
      aWorker(cluster, 'pending', 1),
    ]);
    expect(actions).toEqual([]);
  });

  it('replaces a deleted worker at once', () => {
    const { actions } = running(2, 2, (cluster) => [
      aWorker(cluster, 'running', 0),
      aWorker(cluster, 'terminating', 1),
    ]);
    expect(created(actions)).toEqual([name(2)]);
  });

  it('holds a failed worker until its backoff has passed, then replaces it', () => {
    const workers = (cluster: DaskCluster): Pod[] => [
      aWorker(cluster, 'running', 0),
      aWorker(cluster, 'failed', 1),
    ];
    const held = running(2, 2, workers, NOW + 400);
    expect(held.actions).toEqual([]);
    expect(held.requeueAfterMs).toBe(600);
    expect(held.status.workers).toMatchObject({ running: 1, failed: 1 });
    expect(held.status.lastTermination).toMatchObject({ role: 'worker', exitCode: 1, message: 'last words' });
    const due = running(2, 2, workers, NOW + 1_000);
    expect(deleted(due.actions)).toEqual([`${name(1)} Replaced`]);
    expect(created(due.actions)).toEqual([name(2)]);
    expect(due.statusFirst).toBe(true);
    expect(due.status.workers).toMatchObject({ nextSlot: 3, consecutiveFailures: 1 });
    expect(due.events.map(({ reason }) => reason)).toContain('WorkerReplaced');
  });

  it('doubles the backoff with consecutive failures and forgets them after a quiet time', () => {
    const status = aRunningStatus();
    const workers = { ...status.workers!, nextSlot: 5, consecutiveFailures: 3 };
    const lately = new Date(NOW - 60_000).toISOString();
    const long = new Date(NOW - 3_600_000).toISOString();
    const delay = (lastFailureTime: string): number | undefined => {
      const cluster = aCluster({
        replicas: 1,
        status: { ...status, workers: { ...workers, lastFailureTime } },
      });
      const pods = [aScheduler(cluster, 'running'), aWorker(cluster, 'failed', 4)];
      return plan(anInput(cluster, { pods })).requeueAfterMs;
    };
    expect(delay(lately)).toBe(8_000);
    expect(delay(long)).toBe(1_000);
  });

  it('replaces an evicted worker at once and counts no failure', () => {
    const { actions, status } = running(1, 1, (cluster) => [aWorker(cluster, 'evicted', 0)]);
    expect(created(actions)).toEqual([name(1)]);
    expect(status.workers?.consecutiveFailures).toBe(0);
    expect(status.lastTermination).toMatchObject({
      reason: 'Evicted',
      message: 'The node was low on memory.',
    });
  });

  it('removes a retired worker and replaces it', () => {
    const { actions } = running(1, 1, (cluster) => [aWorker(cluster, 'succeeded', 0)]);
    expect(deleted(actions)).toEqual([`${name(0)} Retired`]);
    expect(created(actions)).toEqual([name(1)]);
  });

  it('scales down the unscheduled first, then the pending, then the newest', () => {
    const { actions } = running(1, 4, (cluster) => [
      aWorker(cluster, 'running', 0),
      aWorker(cluster, 'pending', 1),
      aWorker(cluster, 'running', 2),
      aWorker(cluster, 'unscheduled', 3),
    ]);
    expect(deleted(actions)).toEqual([
      `${name(3)} ScaledDown`,
      `${name(1)} ScaledDown`,
      `${name(2)} ScaledDown`,
    ]);
  });

  it('does not replace a failed worker that is not wanted any more', () => {
    const { actions } = running(1, 2, (cluster) => [
      aWorker(cluster, 'running', 0),
      aWorker(cluster, 'failed', 1),
    ]);
    expect(deleted(actions)).toEqual([`${name(1)} ScaledDown`]);
    expect(created(actions)).toEqual([]);
  });

  it('deletes the very pod that it saw', () => {
    const { actions } = running(0, 1, (cluster) => [
      at('running', aWorker(cluster, 'running', 0), 'seen-uid'),
    ]);
    expect(actions).toEqual([
      { kind: 'delete-pod', target: { name: name(0), uid: 'seen-uid' }, reason: 'ScaledDown' },
    ]);
  });

  it('waits with workers until the scheduler runs', () => {
    const cluster = aCluster({ replicas: 3, status: aRunningStatus() });
    const { actions } = plan(anInput(cluster, { pods: [aScheduler(cluster, 'pending')] }));
    expect(actions).toEqual([]);
  });
});
