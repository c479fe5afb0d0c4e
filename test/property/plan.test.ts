import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DaskCluster, DaskClusterStatus } from '../../src/api/dask-cluster.ts';
import { INCARNATION_LABEL } from '../../src/api/names.ts';
import { isLive, takeCensus } from '../../src/core/plan/census.ts';
import { countersOf } from '../../src/core/plan/counters.ts';
import { DEFAULT_SETTINGS } from '../../src/core/plan/observed.ts';
import { renderService } from '../../src/core/render/service.ts';
import { NOW, aCluster, aRunningStatus, aScheduler, aWorker, type Stage } from '../support/builders.ts';
import { execute, planOf, settle, type World } from '../support/model.ts';

const RUNS = 2_000;
const ROUNDS = 12;

const stage = fc.constantFrom<Stage>(
  'unscheduled',
  'pending',
  'running',
  'failed',
  'succeeded',
  'evicted',
  'terminating',
);

/**
 * Any state that a cluster could be found in after a restart: every subset of its children, each at any stage. No pod
 * is of a later incarnation than the stored one, which is written before the first pod of it is posted.
 */
const world: fc.Arbitrary<World> = fc
  .record({
    replicas: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
    active: fc.constantFrom(undefined, true, false),
    restarts: fc.constantFrom(0, 2, 3),
    incarnation: fc.integer({ min: 1, max: 3 }),
    phase: fc.constantFrom(undefined, 'Pending', 'Running', 'Stopped', 'Failed'),
    readyReason: fc.constantFrom('Inactive', 'Completed', 'Running'),
    nextSlot: fc.integer({ min: 8, max: 12 }),
    schedulers: fc.uniqueArray(fc.record({ stage, incarnation: fc.integer({ min: 1, max: 3 }) }), {
      maxLength: 1,
    }),
    workers: fc.uniqueArray(
      fc.record({ stage, slot: fc.nat({ max: 7 }), incarnation: fc.integer({ min: 1, max: 3 }) }),
      { maxLength: 6, selector: ({ slot }) => slot },
    ),
    service: fc.boolean(),
    credentials: fc.constantFrom('absent', 'present', 'lost'),
  })
  .map((seed): World => {
    const bare = aCluster({
      ...(seed.replicas === undefined ? {} : { replicas: seed.replicas }),
      ...(seed.phase === undefined ? {} : { status: statusOf(seed) }),
    });
    const cluster: DaskCluster =
      seed.active === undefined ? bare : { ...bare, spec: { ...bare.spec, active: seed.active } };
    return {
      cluster,
      pods: [
        ...seed.schedulers.map((one) => aScheduler(cluster, one.stage, upTo(seed, one.incarnation))),
        ...seed.workers.map((one) => aWorker(cluster, one.stage, one.slot, upTo(seed, one.incarnation))),
      ],
      service: seed.service ? stored(renderService(cluster, DEFAULT_SETTINGS.installation)) : undefined,
      credentials:
        seed.credentials === 'lost'
          ? { kind: 'lost', restorable: true }
          : { kind: seed.credentials as 'absent' },
      now: NOW,
      posted: [],
      nextUid: 1,
    };
  });

function upTo(seed: { phase: unknown; incarnation: number }, incarnation: number): number {
  return Math.min(incarnation, seed.phase === undefined ? 1 : seed.incarnation);
}

function statusOf(seed: { phase: DaskClusterStatus['phase']; [key: string]: unknown }): DaskClusterStatus {
  return aRunningStatus(
    {
      phase: seed.phase!,
      incarnation: seed['incarnation'] as number,
      schedulerRestarts: seed['restarts'] as number,
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: seed['readyReason'] as string,
          message: '',
          observedGeneration: 1,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
    seed['nextSlot'] as number,
  );
}

function stored<T extends { metadata: object }>(object: T): T {
  return { ...object, metadata: { ...object.metadata, uid: 'service-1' } };
}

/** Plans and executes until nothing changes any more. */
function converge(start: World, crashes: readonly number[] = []): World {
  let current = start;
  for (let round = 0; round < ROUNDS + crashes.length; round += 1) {
    const next = planOf(current);
    current = settle(execute(current, next, crashes[round]));
    check(current);
  }
  return current;
}

/** What must hold at every moment. */
function check({ cluster, pods, posted, now }: World): void {
  const census = takeCensus(pods, now);
  const { incarnation } = countersOf(cluster.status ?? {});
  expect(census.schedulers.filter(isLive).length).toBeLessThanOrEqual(1);
  const workers = posted.filter((name) => name.includes('-worker-'));
  expect(new Set(workers).size).toBe(workers.length);
  for (const { pod } of census.workers.filter(isLive)) {
    expect(Number(pod.metadata.labels?.[INCARNATION_LABEL])).toBeLessThanOrEqual(incarnation);
  }
}

function expectDone({ cluster, pods, service, credentials, now }: World): void {
  const { schedulers, workers } = takeCensus(pods, now);
  const phase = cluster.status?.phase;
  if (phase === 'Running') {
    expect(schedulers.map(({ state }) => state.kind)).toEqual(['running']);
    expect(workers.filter(isLive)).toHaveLength(cluster.spec.worker?.replicas ?? 0);
    expect(workers.every(isLive)).toBe(true);
    expect(service).toBeDefined();
    expect(credentials).toEqual({ kind: 'present' });
    return;
  }
  expect(['Stopped', 'Failed']).toContain(phase);
  expect(workers).toEqual([]);
  expect(schedulers.filter(isLive)).toEqual([]);
  expect(service).toBeUndefined();
}

describe('plan', () => {
  it('reaches a state that it leaves alone, from every subset of observed children', () => {
    fc.assert(
      fc.property(world, (start) => {
        const end = converge(start);
        expectDone(end);
        const rest = planOf(end);
        expect(rest.actions).toEqual([]);
        expect(rest.status).toEqual(end.cluster.status);
        expect(rest.statusFirst).toBe(false);
      }),
      { numRuns: RUNS },
    );
  });

  it('reaches the same kind of state when the controller crashes between any two writes', () => {
    fc.assert(
      fc.property(world, fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 6 }), (start, crashes) => {
        const end = converge(start, crashes);
        expectDone(end);
        expect(planOf(end).actions).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it('does not depend on the order in which pods were seen', () => {
    fc.assert(
      fc.property(
        world.chain((start) =>
          fc.tuple(
            fc.constant(start),
            fc.shuffledSubarray([...start.pods], { minLength: start.pods.length }),
          ),
        ),
        ([start, shuffled]) => {
          expect(planOf({ ...start, pods: shuffled })).toEqual(planOf(start));
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('never takes a live worker below the floor, unless its scheduler is gone', () => {
    let judged = 0;
    fc.assert(
      fc.property(world, (start) => {
        const { actions, status } = planOf(start);
        const { schedulers, workers } = takeCensus(start.pods, start.now);
        const incarnation = start.cluster.status?.incarnation ?? 1;
        const kept = status.incarnation === incarnation && status.phase === 'Running';
        if (!kept || !schedulers.some(({ state }) => state.kind === 'running')) return;
        judged += 1;
        const doomed = new Set(
          actions.map((action) => (action.kind === 'delete-pod' ? action.target.uid : '')),
        );
        const live = workers.filter((worker) => isLive(worker) && worker.incarnation === incarnation);
        const left = live.filter(({ pod }) => !doomed.has(pod.metadata.uid ?? ''));
        const floor = Math.min(live.length, start.cluster.spec.worker?.replicas ?? 0);
        expect(left.length).toBeGreaterThanOrEqual(floor);
      }),
      { numRuns: 10 * RUNS },
    );
    expect(judged).toBeGreaterThan(100);
  });
});
