import { describe, expect, test } from 'vitest';
import type { Condition, DaskCluster } from '../../../../src/api/dask-cluster.ts';
import type { Grant } from '../../../../src/core/limits/grant.ts';
import { plan, type Plan } from '../../../../src/core/plan/plan.ts';
import { aCluster, anInput, aRunningStatus, aScheduler, aWorker } from '../../../support/builders.ts';

const WAITING: Grant = { kind: 'waiting', message: 'no room: position 1' };
const CLAMPED: Grant = { kind: 'clamped', workers: 2, message: 'room for 2 of 5' };

function limited(next: Pick<Plan, 'status'>): Partial<Condition> | undefined {
  return next.status.conditions?.find(({ type }) => type === 'Limited');
}

describe('a cluster without room', () => {
  const cluster = aCluster({ replicas: 2 });
  const input = anInput(cluster, { credentials: { kind: 'absent' }, service: undefined });

  test('waits in Pending: no pods, no credentials, nothing named, and says why', () => {
    const next = plan({ ...input, grant: WAITING });
    expect(next.actions).toEqual([]);
    expect(next.status).toMatchObject({ phase: 'Pending', message: WAITING.message });
    expect(next.status.credentials).toBeUndefined();
    expect(limited(next)).toMatchObject({
      status: 'True',
      reason: 'WaitingForRoom',
      message: WAITING.message,
    });
    expect(next.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Stalled', status: 'False' }),
    );
    expect(next.events).toEqual([{ type: 'Warning', reason: 'WaitingForRoom', note: WAITING.message }]);
    expect(next.requeueAfterMs).toBe(15_000);
  });

  test('is told of in one Event, whatever its position becomes', () => {
    const { status } = plan({ ...input, grant: WAITING });
    const grant: Grant = { kind: 'waiting', message: 'no room: position 2' };
    const next = plan({ ...input, cluster: { ...cluster, status }, grant });
    expect(next.events).toEqual([]);
    expect(limited(next)).toMatchObject({ message: grant.message });
  });

  test('starts when there is room, and says that it is not limited any more', () => {
    const { status } = plan({ ...input, grant: WAITING });
    const next = plan({ ...input, cluster: { ...cluster, status }, grant: { kind: 'whole' } });
    expect(next.actions.map(({ kind }) => kind)).toEqual([
      'create-credentials',
      'create-service',
      'create-pod',
    ]);
    expect(limited(next)).toMatchObject({ status: 'False', reason: 'WithinLimits' });
  });

  test('says so too where something else is in the way: a restarted controller must know that it never ran', () => {
    const finding = {
      level: 'error',
      rule: 'r',
      reason: 'FieldValueInvalid',
      message: 'm',
      value: 1,
    } as const;
    const errors = [{ ...finding, path: { toString: () => 'spec' } as never }];
    const next = plan({ ...input, errors, grant: WAITING });
    expect(limited(next)).toMatchObject({ status: 'True', reason: 'WaitingForRoom' });
    expect(next.status.message).toContain('spec: m');
  });

  test('that was switched off and on again waits as a new incarnation', () => {
    const inactive = plan({ ...input, cluster: { ...cluster, spec: { ...cluster.spec, active: false } } });
    const next = plan({ ...input, cluster: { ...cluster, status: inactive.status }, grant: WAITING });
    expect(next.status).toMatchObject({ phase: 'Pending', incarnation: 2 });
    expect(next.actions).toEqual([]);
  });
});

describe('a running cluster that grows beyond its limits', () => {
  const bare = aCluster({ replicas: 5 });
  const cluster: DaskCluster = { ...bare, status: aRunningStatus({}, 1) };
  const pods = [aScheduler(bare, 'running'), aWorker(bare, 'running', 0)];

  test('gets the workers that there is room for, is Ready with them, and says so', () => {
    const next = plan({ ...anInput(cluster, { pods }), grant: CLAMPED });
    expect(next.actions.map(({ kind }) => kind)).toEqual(['create-pod']);
    expect(next.status.workers).toMatchObject({ desired: 2, nextSlot: 2 });
    expect(limited(next)).toMatchObject({
      status: 'True',
      reason: 'WorkersHeldBack',
      message: 'room for 2 of 5',
    });
    expect(next.events).toContainEqual({
      type: 'Warning',
      reason: 'WorkersHeldBack',
      note: 'room for 2 of 5',
    });
    const full = [...pods, aWorker(bare, 'running', 1)];
    const settled = plan({ ...anInput({ ...cluster, status: next.status }, { pods: full }), grant: CLAMPED });
    expect(settled.actions).toEqual([]);
    expect(settled.events).toEqual([]);
    expect(settled.status.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'True' });
  });

  test('gets no more than it asks for', () => {
    const small = { ...cluster, spec: { ...cluster.spec, worker: { ...cluster.spec.worker, replicas: 1 } } };
    const next = plan({ ...anInput(small, { pods }), grant: CLAMPED });
    expect(next.status.workers).toMatchObject({ desired: 1 });
  });

  test('that was never limited has no such condition', () => {
    const next = plan({ ...anInput(cluster, { pods }), grant: { kind: 'whole' } });
    expect(limited(next)).toBeUndefined();
    expect(limited(plan(anInput(cluster, { pods })))).toBeUndefined();
    expect(next.status.workers).toMatchObject({ desired: 5 });
  });
});
