import { describe, expect, it } from 'vitest';
import type { DaskClusterStatus } from '../../../../src/api/dask-cluster.ts';
import type { KubeObject } from '../../../../src/api/kubernetes.ts';
import type { Action } from '../../../../src/core/plan/action.ts';
import { DEFAULT_SETTINGS, type Observed } from '../../../../src/core/plan/observed.ts';
import { plan } from '../../../../src/core/plan/plan.ts';
import { invalid } from '../../../../src/core/findings.ts';
import { FieldPath } from '../../../../src/api/field-path.ts';
import { renderService } from '../../../../src/core/render/service.ts';
import { aCluster, anInput, aRunningStatus, aScheduler, at, aWorker } from '../../../support/builders.ts';

const fresh = aCluster({ replicas: 2 });
const earlier = aCluster({ uid: '5f1e0c3a-0000-4000-8000-000000000000' });
const running = aCluster({ replicas: 2, status: aRunningStatus({}, 2) });
const stranger: KubeObject = { metadata: { name: 'x', uid: 'stranger' } };
const kinds = (actions: readonly Action[]): string[] => actions.map(({ kind }) => kind);

function condition(status: DaskClusterStatus, type: string) {
  return status.conditions?.find((one) => one.type === type);
}

describe('a name that is taken', () => {
  const taken: readonly (readonly [string, Partial<Observed>])[] = [
    ["Secret 'dask-credentials-demo'", { credentials: { kind: 'foreign' } }],
    ["Service 'dask-demo'", { service: { ...stranger, spec: {} } }],
    ["Pod 'dask-scheduler-demo'", { schedulerPod: { ...stranger, spec: { containers: [] } } }],
  ];

  it.each(taken)('stalls the cluster: %s', (name, change) => {
    const { actions, status, events, requeueAfterMs } = plan(anInput(fresh, change));
    expect(actions).toEqual([]);
    expect(condition(status, 'Stalled')).toMatchObject({ status: 'True', reason: 'NameConflict' });
    expect(status.message).toBe(
      `${name} of this namespace belongs to somebody else; remove it or give the cluster another name`,
    );
    expect(events).toMatchObject([{ type: 'Warning', reason: 'NameConflict' }]);
    expect(requeueAfterMs).toBe(5_000);
  });

  it('is told once', () => {
    const [, change] = taken[0]!;
    const { status } = plan(anInput(fresh, change));
    expect(plan(anInput(aCluster({ status }), change)).events).toEqual([]);
  });

  it('does not make the cluster claim credentials that were never made', () => {
    const [, change] = taken[0]!;
    expect(plan(anInput(fresh, change)).status).not.toHaveProperty('credentials');
    expect(plan(anInput(running, change)).status.credentials).toBe('dask-credentials-demo');
  });

  it('takes no notice of the cluster itself', () => {
    const change = { schedulerPod: aScheduler(running, 'running'), pods: [aScheduler(running, 'running')] };
    expect(condition(plan(anInput(running, change)).status, 'Stalled')?.status).toBe('False');
  });
});

describe('what an earlier cluster of the name left', () => {
  it('is waited for, quietly', () => {
    const left: Partial<Observed> = {
      credentials: { kind: 'leftover' },
      service: renderService(earlier, DEFAULT_SETTINGS.installation),
      schedulerPod: aScheduler(earlier, 'terminating'),
    };
    const { actions, status, events, requeueAfterMs } = plan(anInput(fresh, left));
    expect(actions).toEqual([]);
    expect(status.phase).toBe('Pending');
    expect(status.message).toBe(
      "waiting for the removal of Secret 'dask-credentials-demo' and Service 'dask-demo' and Pod 'dask-scheduler-demo' of an earlier cluster of this name",
    );
    expect(condition(status, 'Stalled')?.status).toBe('False');
    expect(condition(status, 'Progressing')).toMatchObject({
      status: 'True',
      reason: 'PredecessorTerminating',
    });
    expect(events).toEqual([]);
    expect(requeueAfterMs).toBe(1_000);
  });

  it('does not hide what somebody else took', () => {
    const change = {
      credentials: { kind: 'leftover' },
      schedulerPod: at('running', { ...stranger, spec: { containers: [] } }),
    } as const;
    expect(condition(plan(anInput(fresh, change)).status, 'Stalled')?.reason).toBe('NameConflict');
  });
});

describe('a cluster that slipped in', () => {
  it('is not worked on, and says every mistake', () => {
    const errors = ['a', 'b'].map((name) =>
      invalid({ rule: 'r', path: FieldPath.of('spec', name), value: 1, message: 'must not be' }),
    );
    const { actions, status, requeueAfterMs } = plan({ ...anInput(fresh), errors });
    expect(actions).toEqual([]);
    expect(condition(status, 'Stalled')).toMatchObject({ status: 'True', reason: 'InvalidSpec' });
    expect(status.message).toContain('; ');
    expect(status).not.toHaveProperty('credentials');
    expect(requeueAfterMs).toBeUndefined();
  });
});

describe('a refusal of the API server', () => {
  const refused = { pods: [aScheduler(running, 'running')], refusal: 'exceeded quota' };

  it('is said, and tried again', () => {
    const { actions, status } = plan(anInput(running, refused));
    expect(kinds(actions)).toEqual(['create-pod', 'create-pod']);
    for (const type of ['Ready', 'Stalled'])
      expect(condition(status, type)).toMatchObject({ reason: 'WriteRefused', message: 'exceeded quota' });
    expect(condition(status, 'Stalled')?.status).toBe('True');
    expect(status).toMatchObject({ phase: 'Running', message: 'exceeded quota' });
  });

  it('does not make a cluster unready that has all it needs', () => {
    const pods = [
      aScheduler(running, 'running'),
      aWorker(running, 'running', 0),
      aWorker(running, 'running', 1),
    ];
    const { status } = plan(anInput(running, { ...refused, pods }));
    expect(condition(status, 'Ready')?.status).toBe('True');
    expect(condition(status, 'Stalled')?.status).toBe('True');
  });
});

describe('while the injection is missing', () => {
  const pods = [aScheduler(running, 'running')];

  it('one pod is posted when a trial is due', () => {
    const trial = plan(anInput(running, { pods, injectionMissing: true, injectionTrialDue: true }));
    expect(kinds(trial.actions)).toEqual(['create-pod']);
    expect(condition(trial.status, 'CredentialsReady')?.reason).toBe('InjectionMissing');
    expect(condition(trial.status, 'Stalled')).toMatchObject({ status: 'True', reason: 'InjectionMissing' });
    expect(trial.requeueAfterMs).toBe(10_000);
  });

  it('pods that are too many still go', () => {
    const many = [...pods, ...[0, 1, 2].map((slot) => aWorker(running, 'running', slot))];
    const { actions } = plan(anInput(running, { pods: many, injectionMissing: true }));
    expect(kinds(actions)).toEqual(['delete-pod']);
  });
});

describe('credentials that nobody remembers', () => {
  const lost = { credentials: { kind: 'lost', restorable: false } } as const;
  const pending = aCluster({ status: aRunningStatus({ phase: 'Pending' }) });

  it('are made anew where nothing uses them', () => {
    const { actions, status } = plan(anInput(pending, lost));
    expect(status.phase).toBe('Pending');
    expect(kinds(actions)).toEqual(['create-credentials', 'create-pod']);
  });

  it.each(['pending', 'running'] as const)('fail the cluster while a pod that is %s uses them', (stage) => {
    const { status } = plan(anInput(pending, { ...lost, pods: [aWorker(pending, stage, 0)] }));
    expect(status.phase).toBe('Failed');
  });

  it('are made anew for a cluster that is switched on again', () => {
    const off = { ...running, spec: { ...running.spec, active: false } };
    const stopped = aCluster({
      status: { ...plan(anInput(off)).status, credentials: 'dask-credentials-demo' },
    });
    const { actions, status } = plan(anInput(stopped, { ...lost, service: undefined }));
    expect(status).toMatchObject({ phase: 'Pending', incarnation: 2 });
    expect(kinds(actions)).toEqual(['create-credentials', 'create-service', 'create-pod']);
  });
});
