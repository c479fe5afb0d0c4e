import { describe, expect, test } from 'vitest';
import type { DaskCluster, DaskClusterStatus } from '../../../../src/api/dask-cluster.ts';
import { demandOf, mayStart } from '../../../../src/core/limits/cluster-demand.ts';
import { NO_DEMAND } from '../../../../src/core/limits/demand.ts';
import { aSized } from '../../../support/limits.ts';

const BILLION = 10n ** 9n;

function inactive(reason: string): DaskClusterStatus {
  const condition = { type: 'Ready', status: 'False', reason, message: '', observedGeneration: 1 } as const;
  return { phase: 'Stopped', conditions: [{ ...condition, lastTransitionTime: '' }] };
}

describe('the demand of a cluster', () => {
  test('is its scheduler and every worker', () => {
    expect(demandOf(aSized({ workers: 3, cores: '500m', memory: '1Gi' }))).toEqual({
      clusters: BILLION,
      workers: 3n * BILLION,
      cores: 2n * BILLION,
      memoryBytes: 4n * 2n ** 30n * BILLION,
    });
  });

  test('in the gateway form is what its configuration says', () => {
    const config = { scheduler_cores: 1, scheduler_memory: 2048, worker_cores: 0.3, worker_memory: 1024 };
    const cluster: DaskCluster = { metadata: {}, spec: { config, replicas: 3 } };
    expect(demandOf(cluster)).toMatchObject({
      workers: 3n * BILLION,
      cores: 1_900_000_000n,
      memoryBytes: 5120n * BILLION,
    });
  });

  test.each([
    ['is switched off', aSized({ workers: 3, spec: { active: false } })],
    ['failed', aSized({ workers: 3, status: { phase: 'Failed' } })],
    ['ended by itself', aSized({ workers: 3, status: inactive('Completed') })],
  ])('is nothing where it %s', (_, cluster) => {
    expect(demandOf(cluster)).toBe(NO_DEMAND);
  });

  test('counts where it was switched off and on again, though it is still Stopped', () => {
    expect(demandOf(aSized({ workers: 3, status: inactive('Inactive') })).workers).toBe(3n * BILLION);
  });

  test('counts where it is being deleted, as its pods are still there; but it gets no more', () => {
    const cluster = aSized({ workers: 1 });
    const deleted = {
      ...cluster,
      metadata: { ...cluster.metadata, deletionTimestamp: '2026-03-01T12:00:00Z' },
    };
    expect(demandOf(deleted).workers).toBe(BILLION);
    expect([mayStart(cluster), mayStart(deleted)]).toEqual([true, false]);
  });

  test.each([[-1], [1.5], [undefined], ['7']])('has no workers for replicas %j', (replicas) => {
    const cluster = aSized({ cores: 1 });
    const spec = { ...cluster.spec, worker: { ...cluster.spec.worker, replicas: replicas as number } };
    expect(demandOf({ ...cluster, spec })).toMatchObject({ workers: 0n, cores: BILLION });
  });

  test('is not evaded by more workers than a number can count', () => {
    expect(demandOf(aSized({ workers: 1e18 })).workers).toBe(10n ** 27n);
  });
});
