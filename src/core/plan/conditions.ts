import type { Condition, ConditionType } from '../../api/dask-cluster.ts';

/** What is to be said about one aspect of a cluster. */
export type Statement = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

export function yes(type: ConditionType, reason: string, message: string): Statement {
  return { type, status: 'True', reason, message };
}

export function no(type: ConditionType, reason: string, message: string): Statement {
  return { type, status: 'False', reason, message };
}

/**
 * The conditions that result from statements: one of each type, in the statements' order, and `lastTransitionTime`
 * moved only where the status really changed, so that an unchanged cluster is never written.
 * @param now RFC 3339
 */
export function foldConditions(
  statements: readonly Statement[],
  previous: readonly Condition[] | undefined,
  observedGeneration: number,
  now: string,
): readonly Condition[] {
  return statements.map((statement) => {
    const before = previous?.find(({ type }) => type === statement.type);
    const lastTransitionTime = before?.status === statement.status ? before.lastTransitionTime : now;
    return { ...statement, observedGeneration, lastTransitionTime };
  });
}

export function reasonOf(
  conditions: readonly Condition[] | undefined,
  type: ConditionType,
): string | undefined {
  return conditions?.find((condition) => condition.type === type)?.reason;
}
