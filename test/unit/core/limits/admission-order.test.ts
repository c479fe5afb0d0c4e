import { describe, expect, test } from 'vitest';
import { admissionOrder, type Contender } from '../../../../src/core/limits/admission-order.ts';
import { demandWith, shapeOf } from '../../../../src/core/limits/cluster-demand.ts';
import { UsageIndex } from '../../../../src/core/limits/usage-index.ts';
import type { Policy } from '../../../../src/core/policy/policy.ts';
import { aSized, limitedTo } from '../../../support/limits.ts';

interface Sketch {
  readonly owner?: string;
  readonly namespace?: string;
  /** Seconds after noon. */
  readonly age?: number;
  readonly wanted?: number;
  readonly held?: number;
  readonly cores?: number;
}

function contender(name: string, sketch: Sketch): Contender {
  const { owner = 'alice', namespace = 'team-a', age = 0, wanted = 0, held, cores } = sketch;
  return {
    key: `${namespace}/${name}`,
    owner,
    namespace,
    createdAt: new Date(Date.parse('2026-03-01T12:00:00Z') + age * 1000).toISOString(),
    shape: shapeOf(aSized(cores === undefined ? {} : { cores })),
    wanted,
    held,
  };
}

/** What is decided of each, by name: how many workers, or what its condition says. */
function decided(
  limits: Partial<Policy['limits']>,
  sketches: Readonly<Record<string, Sketch>>,
): Record<string, number | string> {
  const usage = new UsageIndex();
  const all = Object.entries(sketches).map(([name, sketch]) => contender(name, sketch));
  for (const { key, owner, namespace, held, shape } of all) {
    if (held !== undefined) usage.put(key, { owner, namespace, demand: demandWith(shape, held) });
  }
  const contending = all.filter(({ held, wanted }) => held === undefined || held < wanted);
  const decisions = admissionOrder(contending, usage, () => limitedTo(limits).limits);
  return Object.fromEntries(
    [...decisions].map(([key, { workers, grant }]) => [
      key.slice(key.indexOf('/') + 1),
      grant.kind === 'whole' ? (workers ?? NaN) : grant.message,
    ]),
  );
}

const waits = (position: number): string =>
  `user 'alice' may have at most 2 clusters, and this cluster asks for 1 cluster: it waits at position ${String(position)} until there is room`;

describe('the order of admission', () => {
  test('lets everybody in where nothing is limited', () => {
    expect(decided({}, { a: { wanted: 1e9 }, b: { wanted: 3, held: 1 } })).toEqual({ a: 1e9, b: 3 });
  });

  test("takes a user's oldest first, and says the others' positions", () => {
    const sketches = { d: { age: 4 }, c: { age: 3 }, b: { age: 2 }, a: { age: 1 } };
    expect(decided({ user: { clusters: 2 } }, sketches)).toEqual({ a: 0, b: 0, c: waits(1), d: waits(2) });
  });

  test('goes by the name where two are equally old', () => {
    expect(decided({ user: { clusters: 2 } }, { c: {}, b: {}, a: {} })).toEqual({ a: 0, b: 0, c: waits(1) });
  });

  test('takes users in turn where they share a namespace, who has more running the later', () => {
    const bob = { owner: 'bob', age: 100 };
    const many = { a1: { age: 1 }, a2: { age: 2 }, a3: { age: 3 }, b1: bob, b2: { ...bob, age: 101 } };
    expect(inside(decided({ namespace: { clusters: 4 } }, many))).toEqual(['a1', 'b1', 'a2', 'b2']);
    const running = { r1: { held: 0 }, r2: { held: 0 }, a1: { age: 1 }, b1: bob };
    expect(inside(decided({ namespace: { clusters: 3 } }, running))).toEqual(['b1']);
  });

  test('lets nobody pass who waits for the same thing', () => {
    const limits = { user: { cores: 10 } };
    const sketches = {
      running: { held: 5, wanted: 5, cores: 1 },
      big: { age: 1, wanted: 7, cores: 1 },
      small: { age: 2, wanted: 0, cores: 1 },
      free: { age: 3, wanted: 9 },
      other: { owner: 'bob', age: 4, wanted: 9, cores: 1 },
    };
    expect(inside(decided(limits, sketches))).toEqual(['other', 'free']);
  });

  test('lets who could not start even alone keep nobody waiting', () => {
    const sketches = { huge: { age: 1, wanted: 11 }, small: { age: 2, wanted: 3 } };
    const { huge, small } = decided({ user: { workers: 10 } }, sketches);
    expect(huge).toBe(
      "user 'alice' may have at most 10 workers, and this cluster alone asks for 11 workers: it cannot start until it asks for less",
    );
    expect(small).toBe(3);
    const single = decided({ cluster: { workers: 10 } }, sketches);
    expect(single['huge']).toContain('a cluster may have at most 10 workers');
  });

  test('gives a running cluster as many workers as there is room for, and takes none away', () => {
    const limits = { user: { workers: 10, cores: 8.5 } };
    const growing = { wanted: 20, held: 2, cores: 1 };
    expect(decided(limits, { growing, other: { held: 1, wanted: 1 } })).toEqual({
      growing:
        "user 'alice' may have at most 8.5 cores: there is room for 7 of the 20 workers that this cluster asks for",
    });
    const over = { wanted: 20, held: 15, cores: 1 };
    expect(decided(limits, { over })['over']).toContain('there is room for 15 of the 20 workers');
    expect(decided({ user: { workers: 20 } }, { over })).toEqual({ over: 20 });
  });

  test('lets no running cluster grow into the room that another waits for', () => {
    const sketches = {
      growing: { wanted: 9, held: 6, owner: 'alice' },
      waiting: { owner: 'bob', age: 9, wanted: 5 },
    };
    const { growing, waiting } = decided({ namespace: { workers: 10 } }, sketches);
    expect(waiting).toContain('it waits at position 1');
    expect(growing).toContain('there is room for 6 of the 9 workers');
  });

  test('tells positions far behind by the ten, so that they seldom change', () => {
    const sketches = Object.fromEntries(
      Array.from({ length: 25 }, (_, age) => [`c${String(age).padStart(2, '0')}`, { age }]),
    );
    const messages = Object.values(decided({ user: { clusters: 2 } }, sketches)).map(String);
    expect(messages[11]).toContain('it waits at position 10 until');
    expect(messages[12]).toContain('it waits behind 10 others or more until');
    expect(messages[24]).toContain('it waits behind 20 others or more until');
  });
});

function inside(decisions: Record<string, number | string>): readonly string[] {
  return Object.entries(decisions).flatMap(([name, decision]) =>
    typeof decision === 'number' ? [name] : [],
  );
}
