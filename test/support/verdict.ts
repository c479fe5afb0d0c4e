import { expect } from 'vitest';
import type { DaskCluster } from '../../src/api/dask-cluster.ts';
import type { Finding, Level } from '../../src/core/findings.ts';
import { located } from '../../src/core/rules/located.ts';
import { subjectOf, type Circumstances, type Rule } from '../../src/core/rules/subject.ts';

/** What one rule says of a cluster, with paths as the user wrote them. */
export function findingsOf(
  rule: Rule,
  cluster: DaskCluster,
  circumstances?: Circumstances,
): readonly Finding[] {
  const subject = subjectOf(cluster, circumstances);
  return located(rule.check(subject), subject.templates);
}

interface Expected {
  readonly path: string;
  readonly says: string;
  readonly level?: Level;
}

/** That a rule says exactly one thing of a cluster: at which path, and part of what. */
export function expectFinding(
  rule: Rule,
  cluster: DaskCluster,
  expected: Expected,
  circumstances?: Circumstances,
): void {
  const findings = findingsOf(rule, cluster, circumstances);
  expect(findings.map(({ path }) => path.toString())).toEqual([expected.path]);
  expect(findings[0]?.message).toContain(expected.says);
  expect(findings[0]).toMatchObject({ rule: rule.id, level: expected.level ?? 'error' });
}

export function expectNothing(rule: Rule, cluster: DaskCluster, circumstances?: Circumstances): void {
  expect(findingsOf(rule, cluster, circumstances)).toEqual([]);
}
