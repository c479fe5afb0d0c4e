import { describe, expect, test } from 'vitest';
import type { DaskCluster, DaskClusterStatus } from '../../../../src/api/dask-cluster.ts';
import { FieldPath } from '../../../../src/api/field-path.ts';
import { forbidden, invalid, type Finding } from '../../../../src/core/findings.ts';
import type { PlanInput } from '../../../../src/core/plan/observed.ts';
import { plan, unchanged } from '../../../../src/core/plan/plan.ts';
import { aCluster, anInput } from '../../../support/builders.ts';

const OVER = invalid({
  rule: 'request-over-limit',
  path: FieldPath.of('spec', 'config', 'worker_memory'),
  value: '8',
  message: 'must be less than or equal to the memory limit of 4',
});
const FOREIGN = forbidden({
  rule: 'foreign-credentials',
  path: FieldPath.of('spec', 'config', 'image_pull_secrets').index(0).child('name'),
  value: 'x',
  message: "it is another cluster's",
});
const TEXT =
  'spec.config.worker_memory: Invalid value: "8": must be less than or equal to the memory limit of 4';

function aGatewayCluster(status?: DaskClusterStatus, change: Partial<DaskCluster> = {}): DaskCluster {
  const cluster = aCluster({ ...(status === undefined ? {} : { status }), metadata: { generation: 3 } });
  return { ...cluster, spec: { username: 'alice', options: {}, config: {} }, ...change };
}

function inputOf(cluster: DaskCluster, errors: readonly Finding[]): PlanInput {
  return { ...anInput(cluster), errors };
}

describe('an invalid cluster of the gateway form', () => {
  test('ends as Failed, with its faults in the status and an Event', () => {
    const { actions, status, events } = plan(inputOf(aGatewayCluster(), [OVER]));
    expect(actions).toEqual([]);
    expect(status).toMatchObject({
      phase: 'Failed',
      form: 'gateway',
      observedGeneration: 3,
      completionTime: '2026-03-01T12:00:00Z',
      message: TEXT,
    });
    expect(status.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'InvalidSpec', message: TEXT, observedGeneration: 3 },
      { type: 'Progressing', status: 'False', reason: 'InvalidSpec' },
      { type: 'Stalled', status: 'True', reason: 'InvalidSpec', message: TEXT },
    ]);
    expect(events).toEqual([{ type: 'Warning', reason: 'InvalidSpec', note: TEXT }]);
  });

  test('tells all of them', () => {
    const { status } = plan(inputOf(aGatewayCluster(), [OVER, FOREIGN]));
    expect(status.message).toBe(
      `${TEXT}; spec.config.image_pull_secrets[0].name: Forbidden: it is another cluster's`,
    );
  });

  test('counts those that there is no room for', () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ ...OVER, path: OVER.path.index(index) }));
    const { status } = plan(inputOf(aGatewayCluster(), many));
    expect(status.message?.length).toBeLessThan(4_200);
    expect(status.message).toMatch(/config\.worker_memory\[\d+\].*4; \d\d more$/);
  });

  test('tells one that both of its pods have once', () => {
    expect(plan(inputOf(aGatewayCluster(), [OVER, OVER])).status.message).toBe(TEXT);
  });

  test('is told of once, and not written again', () => {
    const { status } = plan(inputOf(aGatewayCluster(), [OVER]));
    const ended = aGatewayCluster(status);
    expect(plan(inputOf(ended, [OVER]))).toEqual(unchanged(ended));
  });

  test('keeps what a status has that we do not know', () => {
    const known = { phase: 'Pending', somethingElse: 1 } as DaskClusterStatus;
    expect(plan(inputOf(aGatewayCluster(known), [OVER])).status).toMatchObject({
      phase: 'Failed',
      somethingElse: 1,
    });
  });

  test.each<[string, DaskClusterStatus]>([
    ['runs', { phase: 'Running', credentials: 'dask-credentials-demo' }],
    ['has its credentials', { phase: 'Pending', credentials: 'dask-credentials-demo' }],
    ['has its scheduler', { phase: 'Pending', schedulerPod: 'dask-scheduler-demo' }],
    ['was stopped', { phase: 'Stopped' }],
  ])('is left alone once it %s', (_what, status) => {
    const cluster = aGatewayCluster(status);
    expect(plan(inputOf(cluster, [OVER]))).toEqual(unchanged(cluster));
  });

  test.each<[string, Partial<DaskCluster['metadata']>]>([
    ['paused', { annotations: { 'daskwarden.dev/paused': 'true' } }],
    ['being deleted', { deletionTimestamp: '2026-03-01T11:00:00Z' }],
  ])('is left alone while it is %s', (_what, metadata) => {
    const { metadata: own } = aGatewayCluster();
    const cluster = aGatewayCluster(undefined, { metadata: { ...own, ...metadata } });
    expect(plan(inputOf(cluster, [OVER]))).toEqual(unchanged(cluster));
  });
});

test("a valid cluster of the gateway form is still dask-gateway's", () => {
  const cluster = aGatewayCluster();
  expect(plan(inputOf(cluster, []))).toEqual(unchanged(cluster));
});
