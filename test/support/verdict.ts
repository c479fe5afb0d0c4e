import { expect } from 'vitest';
import type { DaskCluster } from '../../src/api/dask-cluster.ts';
import type { Level } from '../../src/core/findings.ts';
import { subjectOf, type Rule } from '../../src/core/rules/subject.ts';

/** That a rule says exactly one thing of a cluster: at which path, and part of what. */
export function expectFinding(
  rule: Rule,
  cluster: DaskCluster,
  expected: { readonly path: string; readonly says: string; readonly level?: Level },
): void {
  const findings = rule.check(subjectOf(cluster));
  expect(findings.map(({ path }) => path.toString())).toEqual([expected.path]);
  expect(findings[0]?.message).toContain(expected.says);
  expect(findings[0]).toMatchObject({ rule: rule.id, level: expected.level ?? 'error' });
}

export function expectNothing(rule: Rule, cluster: DaskCluster): void {
  expect(rule.check(subjectOf(cluster))).toEqual([]);
}
