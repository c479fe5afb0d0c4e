import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { format, type Finding } from '../../src/core/findings.ts';
import { judge } from '../../src/core/judge.ts';
import { DEFAULT_POLICY } from '../../src/core/policy/policy.ts';
import { ratchet } from '../../src/core/ratchet.ts';
import { RULES } from '../../src/core/rules/table.ts';
import { randomCluster } from '../support/random-cluster.ts';
import { findingsOf } from '../support/verdict.ts';

const RUNS = 500;
const POLICY = { ...DEFAULT_POLICY, imageRegistries: ['ghcr.io/dask/'] };

/** What JavaScript writes where a text was forgotten. */
const SLIPS = /undefined|\[object|NaN|function/;

function expectReadable(finding: Finding): void {
  expect(format(finding)).not.toMatch(SLIPS);
  expect(finding.message.length).toBeLessThan(700);
  expect(finding.message.isWellFormed()).toBe(true);
}

describe('the rules', () => {
  it('judge whatever there is, the same every time, in words, and change nothing', () => {
    const told = new Map(RULES.map(({ id }) => [id, 0]));
    fc.assert(
      fc.property(randomCluster, randomCluster, (cluster, oldCluster) => {
        const before = structuredClone(cluster);
        const circumstances = { policy: POLICY, oldCluster };
        for (const rule of RULES) {
          const findings = findingsOf(rule, cluster, circumstances);
          expect(findingsOf(rule, before, circumstances)).toEqual(findings);
          expect(findings.every((finding) => finding.rule === rule.id)).toBe(true);
          findings.forEach(expectReadable);
          told.set(rule.id, (told.get(rule.id) ?? 0) + findings.length);
        }
        expect(cluster).toEqual(before);
      }),
      { numRuns: RUNS },
    );
    // Where the generator never breaks a rule, nothing is proved of it.
    expect([...told].filter(([, count]) => count < RUNS / 20)).toEqual([]);
  });

  it('names a place that is there, or that lacks something', () => {
    fc.assert(
      fc.property(randomCluster, (cluster) => {
        // What is made of the other form's configuration has its place there, but not always its value.
        if (cluster.spec.config !== undefined) return;
        for (const { path, value, reason } of RULES.flatMap((rule) => findingsOf(rule, cluster))) {
          if (reason === 'FieldValueRequired') continue;
          const words = path.keys();
          expect(valueAt(cluster, words), path.toString()).toEqual(value);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe('judge', () => {
  it('gives the same verdict every time, in words', () => {
    fc.assert(
      fc.property(randomCluster, (object) => {
        const { findings, denied, sound } = judge({ object });
        findings.forEach(expectReadable);
        expect(judge({ object: structuredClone(object) })).toEqual({ findings, denied, sound });
        expect(denied).toBe(findings.some(({ level }) => level === 'error'));
      }),
      { numRuns: RUNS },
    );
  });

  it('never denies an update that changes nothing', () => {
    fc.assert(
      fc.property(randomCluster, (object) => {
        const { findings, denied } = judge({ object, oldObject: structuredClone(object) });
        expect(denied).toBe(false);
        expect(findings).toEqual(ratchet(judge({ object }).findings, judge({ object }).findings));
      }),
      { numRuns: RUNS },
    );
  });
});

function valueAt(root: unknown, keys: readonly (string | number)[]): unknown {
  return keys.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    root,
  );
}
