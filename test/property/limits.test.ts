import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { demandOf } from '../../src/core/limits/cluster-demand.ts';
import { NO_DEMAND, plus, type Demand } from '../../src/core/limits/demand.ts';
import { UsageIndex, type Claim } from '../../src/core/limits/usage-index.ts';
import { projectCluster } from '../../webhooks/cluster-projection.ts';
import { excesses, LimitedWorld, type Step } from '../support/limited-world.ts';
import { randomCluster } from '../support/random-cluster.ts';

const name = fc.constantFrom('c0', 'c1', 'c2', 'c3', 'c4', 'c5');
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create'), name, workers: fc.nat({ max: 6 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('scale'), name, workers: fc.nat({ max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('off', 'on', 'delete', 'fail'), name }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom('turn', 'show'), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('restart', 'crash'), name }) },
) as fc.Arbitrary<Step>;

/** The last one passes the second, and then stands in its way too. */
const PASSED_BY: readonly Step[] = [
  { kind: 'create', name: 'c0', workers: 5 },
  { kind: 'create', name: 'c1', workers: 4 },
  { kind: 'create', name: 'c3', workers: 2 },
];

describe('limits', () => {
  test('hold in every order of events: nothing beyond them runs, and nothing that runs is stopped', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const world = new LimitedWorld();
        for (const one of steps) {
          world.do(one);
          expect(excesses(world)).toEqual([]);
        }
      }),
      { numRuns: 1_500 },
    );
  });

  test('leave nobody waiting where there is room, and a restart changes nothing once all is at rest', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const world = new LimitedWorld();
        for (const one of steps) world.do(one);
        const waiting = world.settle();
        const running = [...world.running].sort();
        world.restart();
        expect([...world.settle()].sort()).toEqual([...waiting].sort());
        expect([...world.running].sort()).toEqual(running);
        for (const [clusterName, message] of waiting) {
          if (message.includes('position 1 ')) expect(world.hasRoomFor(clusterName), message).toBe(false);
        }
      }),
      { numRuns: 500, examples: [[[...PASSED_BY]]] },
    );
  });
});

test('what the webhook keeps of a cluster demands what the cluster does', () => {
  fc.assert(
    fc.property(randomCluster, (cluster) => {
      expect(demandOf(projectCluster(cluster))).toEqual(demandOf(cluster));
    }),
    { numRuns: 1_000 },
  );
});

describe('the index of usage', () => {
  const claim = fc.record({
    owner: fc.constantFrom('alice', 'bob', '__proto__'),
    namespace: fc.constantFrom('team-a', 'team-b'),
    demand: fc.record({
      clusters: fc.bigInt({ min: 0n, max: 2n }),
      workers: fc.bigInt({ min: 0n, max: 9n }),
      cores: fc.bigInt({ min: 0n, max: 10n ** 20n }),
      memoryBytes: fc.bigInt({ min: 0n, max: 10n ** 30n }),
    }),
  }) as fc.Arbitrary<Claim>;
  const changes = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.option(claim)), {
    maxLength: 40,
  });

  test('equals a count of all claims', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const index = new UsageIndex();
        const claims = new Map<string, Claim>();
        for (const [key, change] of list) {
          if (change === null) {
            index.delete(key);
            claims.delete(key);
          } else {
            index.put(key, change);
            claims.set(key, change);
          }
        }
        const total = (is: (one: Claim, key: string) => boolean): Demand =>
          [...claims].reduce((sum, [key, one]) => (is(one, key) ? plus(sum, one.demand) : sum), NO_DEMAND);
        for (const owner of ['alice', 'bob', '__proto__']) {
          expect(index.ofOwner(owner)).toEqual(total((one) => one.owner === owner));
          expect(index.beside('a', { owner, namespace: 'team-a' })).toEqual({
            ofOwner: total((one, key) => one.owner === owner && key !== 'a'),
            ofNamespace: total((one, key) => one.namespace === 'team-a' && key !== 'a'),
          });
        }
      }),
      { numRuns: 500 },
    );
  });
});
