import { describe, expect, it } from 'vitest';
import type { DaskClusterStatus } from '../../../../src/api/dask-cluster.ts';
import type { Pod } from '../../../../src/api/kubernetes.ts';
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

const fresh = aCluster({ replicas: 2 });
const kinds = (actions: readonly { kind: string }[]): string[] => actions.map(({ kind }) => kind);

describe('a new cluster', () => {
  it('gets credentials, Service and scheduler, in this order, and is Pending', () => {
    const { actions, status, statusFirst } = plan(
      anInput(fresh, { credentials: { kind: 'absent' }, service: undefined }),
    );
    expect(kinds(actions)).toEqual(['create-credentials', 'create-service', 'create-pod']);
    expect(statusFirst).toBe(false);
    expect(status).toMatchObject({
      phase: 'Pending',
      form: 'template',
      incarnation: 1,
      credentials: 'dask-credentials-demo',
      service: 'dask-demo',
      schedulerPod: 'dask-scheduler-demo',
    });
  });

  it('is Running once the scheduler is ready, and Ready once the workers run', () => {
    const cluster = aCluster({ replicas: 1, status: aRunningStatus({ phase: 'Pending' }, 1) });
    const starting = plan(
      anInput(cluster, { pods: [aScheduler(cluster, 'running'), aWorker(cluster, 'pending', 0)] }),
    );
    expect(starting.status.phase).toBe('Running');
    expect(condition(starting.status, 'Ready')).toMatchObject({ status: 'False', reason: 'Starting' });
    const done = plan(
      anInput(cluster, { pods: [aScheduler(cluster, 'running'), aWorker(cluster, 'running', 0)] }),
    );
    expect(condition(done.status, 'Ready')).toMatchObject({ status: 'True' });
    expect(condition(done.status, 'Progressing')).toMatchObject({ status: 'False' });
  });

  it('says why the scheduler waits', () => {
    const waiting: Pod = {
      ...aScheduler(fresh, 'pending'),
      status: {
        phase: 'Pending',
        containerStatuses: [{ name: 'dask-scheduler', state: { waiting: { reason: 'ImagePullBackOff' } } }],
      },
    };
    const { status } = plan(anInput(fresh, { pods: [waiting] }));
    expect(condition(status, 'SchedulerReady')).toMatchObject({
      status: 'False',
      reason: 'ImagePullBackOff',
    });
    expect(status.message).toContain('ImagePullBackOff');
  });
});

describe('a scheduler that ends', () => {
  const cluster = aCluster({ replicas: 1, status: aRunningStatus({}, 1) });

  it('is restarted with its workers: the counters are stored before anything is deleted', () => {
    const pods = [aScheduler(cluster, 'failed'), aWorker(cluster, 'running', 0)];
    const { actions, status, statusFirst, events } = plan(anInput(cluster, { pods }));
    expect(statusFirst).toBe(true);
    expect(status).toMatchObject({ incarnation: 2, schedulerRestarts: 1, phase: 'Pending' });
    expect(status.lastTermination).toMatchObject({ role: 'scheduler', exitCode: 1, reason: 'Error' });
    expect(actions).toEqual([
      {
        kind: 'delete-pod',
        target: { name: 'dask-worker-demo-5f1e0c3a-0', uid: 'worker-1-0' },
        reason: 'SchedulerGone',
      },
      { kind: 'delete-pod', target: { name: 'dask-scheduler-demo', uid: 'scheduler-1' }, reason: 'Replaced' },
    ]);
    expect(events[0]).toMatchObject({ reason: 'SchedulerRestarted' });
  });

  it('is posted again only when the old pod is gone and the backoff has passed', () => {
    const status: DaskClusterStatus = {
      ...aRunningStatus({ incarnation: 2, schedulerRestarts: 1 }, 1),
      lastTermination: {
        role: 'scheduler',
        pod: 'dask-scheduler-demo',
        container: 'dask-scheduler',
        reason: 'Error',
        finishedAt: new Date(NOW).toISOString(),
      },
    };
    const restarting = aCluster({ replicas: 1, status });
    expect(
      plan(anInput(restarting, { pods: [aScheduler(restarting, 'terminating')] }, NOW + 5_000)).actions,
    ).toEqual([]);
    const early = plan(anInput(restarting, {}, NOW + 200));
    expect(early).toMatchObject({ actions: [], requeueAfterMs: 800 });
    const [action] = plan(anInput(restarting, {}, NOW + 1_000)).actions;
    expect(action).toMatchObject({
      kind: 'create-pod',
      pod: { metadata: { labels: { 'daskwarden.dev/incarnation': '2' } } },
    });
  });

  it('fails the cluster when its restarts are used up, and keeps its pod for its logs', () => {
    const worn = aCluster({ replicas: 1, status: aRunningStatus({ schedulerRestarts: 3 }, 1) });
    const pods = [aScheduler(worn, 'failed'), aWorker(worn, 'running', 0)];
    const { actions, status, statusFirst } = plan(anInput(worn, { pods }));
    expect(statusFirst).toBe(true);
    expect(status).toMatchObject({ phase: 'Failed', completionTime: '2026-03-01T12:00:00Z' });
    expect(condition(status, 'Stalled')).toMatchObject({ status: 'True', reason: 'SchedulerFailed' });
    expect(kinds(actions)).toEqual(['delete-pod', 'delete-service', 'delete-credentials']);
    const failed = aCluster({ replicas: 1, status });
    const kept = plan(anInput(failed, { pods: [aScheduler(failed, 'failed')], service: undefined }));
    expect(kept.actions).toEqual([{ kind: 'delete-credentials', secretName: 'dask-credentials-demo' }]);
    expect(kept.requeueAfterMs).toBe(3_600_000);
    const later = plan(
      anInput(failed, { pods: [aScheduler(failed, 'failed')], service: undefined }, NOW + 3_600_000),
    );
    expect(kinds(later.actions)).toContain('delete-pod');
  });

  it('honours lifecycle.schedulerRestarts', () => {
    const strict = aCluster({ status: aRunningStatus(), spec: { lifecycle: { schedulerRestarts: 0 } } });
    expect(plan(anInput(strict, { pods: [aScheduler(strict, 'failed')] })).status.phase).toBe('Failed');
  });

  it('completes the cluster when it ends with exit code 0', () => {
    const { status, actions } = plan(anInput(cluster, { pods: [aScheduler(cluster, 'succeeded')] }));
    expect(status.phase).toBe('Stopped');
    expect(condition(status, 'Ready')).toMatchObject({ status: 'False', reason: 'Completed' });
    expect(kinds(actions)).toContain('delete-credentials');
  });

  it.each(['evicted', 'terminating'] as const)('uses no restart budget when it is %s', (stage) => {
    const { status } = plan(anInput(cluster, { pods: [aScheduler(cluster, stage)] }));
    expect(status).toMatchObject({ incarnation: 2, schedulerRestarts: 0 });
  });

  it('takes its workers with it when somebody deleted it', () => {
    const { status, actions } = plan(anInput(cluster, { pods: [aWorker(cluster, 'running', 0)] }));
    expect(status.incarnation).toBe(2);
    expect(kinds(actions)).toEqual(['delete-pod', 'create-pod']);
  });

  it('is seen through its Dask container although a sidecar lives on', () => {
    const dead = at('failed', aScheduler(cluster, 'running'), 'scheduler-1');
    const pod: Pod = { ...dead, status: { ...dead.status, phase: 'Running' } };
    expect(plan(anInput(cluster, { pods: [pod] })).status.schedulerRestarts).toBe(1);
  });
});

describe('stop and resume', () => {
  const off = aCluster({
    replicas: 1,
    spec: { ...fresh.spec, active: false },
    status: aRunningStatus({}, 1),
  });

  it('takes down everything and is Stopped at once', () => {
    const pods = [aScheduler(off, 'running'), aWorker(off, 'running', 0)];
    const { actions, status } = plan(anInput(off, { pods }));
    expect(kinds(actions)).toEqual(['delete-pod', 'delete-pod', 'delete-service', 'delete-credentials']);
    expect(status).toMatchObject({ phase: 'Stopped', completionTime: '2026-03-01T12:00:00Z' });
    expect(status.credentials).toBeUndefined();
  });

  it('starts a new incarnation with a fresh budget when active is true again', () => {
    const { status } = plan(anInput(off, { service: undefined }));
    const on = aCluster({ replicas: 1, status: { ...status, schedulerRestarts: 2 } });
    const resumed = plan(anInput(on, { service: undefined, credentials: { kind: 'absent' } }));
    expect(resumed.statusFirst).toBe(true);
    expect(resumed.status).toMatchObject({ phase: 'Pending', incarnation: 2, schedulerRestarts: 0 });
    expect(resumed.status.completionTime).toBeUndefined();
    expect(kinds(resumed.actions)).toEqual(['create-credentials', 'create-service', 'create-pod']);
  });

  it('does not start a completed cluster again', () => {
    const done = plan(
      anInput(aCluster({ status: aRunningStatus() }), { pods: [aScheduler(fresh, 'succeeded')] }),
    );
    const stored = aCluster({ status: done.status });
    expect(kinds(plan(anInput(stored, { service: undefined })).actions)).toEqual(['delete-credentials']);
  });
});

describe('what keeps a cluster from being worked on', () => {
  it('is deleted: its children go by their owner references', () => {
    const gone = aCluster({ metadata: { deletionTimestamp: '2026-03-01T12:00:00Z' } });
    expect(plan(anInput(gone, { service: undefined, credentials: { kind: 'absent' } })).actions).toEqual([]);
  });

  it('is paused', () => {
    const paused = aCluster({ metadata: { annotations: { 'daskwarden.dev/paused': 'true' } } });
    expect(plan(anInput(paused, { service: undefined })).actions).toEqual([]);
  });

  it("is dask-gateway's", () => {
    const gateway = { ...aCluster(), spec: { config: {}, username: 'alice', options: {} } };
    expect(plan(anInput(gateway, { service: undefined })).actions).toEqual([]);
  });

  it('has a name that somebody else took', () => {
    const { actions, status, events } = plan(anInput(fresh, { foreignPods: ['dask-scheduler-demo'] }));
    expect(actions).toEqual([]);
    expect(condition(status, 'Stalled')).toMatchObject({ status: 'True', reason: 'NameConflict' });
    expect(status.message).toContain("Pod 'dask-scheduler-demo'");
    expect(events).toHaveLength(1);
  });

  it('posts no pod while the webhook that injects credentials is away', () => {
    const { actions, status, requeueAfterMs } = plan(anInput(fresh, { injectionMissing: true }));
    expect(kinds(actions)).toEqual([]);
    expect(condition(status, 'CredentialsReady')).toMatchObject({
      status: 'False',
      reason: 'InjectionMissing',
    });
    expect(requeueAfterMs).toBe(10_000);
  });

  it('lost its credentials for good', () => {
    const cluster = aCluster({ status: aRunningStatus() });
    const { status } = plan(anInput(cluster, { credentials: { kind: 'lost', restorable: false } }));
    expect(status.phase).toBe('Failed');
    expect(condition(status, 'Ready')).toMatchObject({ reason: 'CredentialsLost' });
    const restorable = plan(anInput(cluster, { credentials: { kind: 'lost', restorable: true } }));
    expect(kinds(restorable.actions)).toContain('restore-credentials');
  });
});

function condition(status: DaskClusterStatus, type: string) {
  return status.conditions?.find((one) => one.type === type);
}
