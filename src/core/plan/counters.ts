import type { DaskClusterStatus } from '../../api/dask-cluster.ts';

/**
 * What a cluster must remember beyond its pods. A plan that changes a counter is executed only after the new value is
 * stored: a crash then skips a number, and never uses one twice.
 */
export interface Counters {
  readonly incarnation: number;
  readonly schedulerRestarts: number;
  readonly nextSlot: number;
  readonly consecutiveFailures: number;
  /** Epoch milliseconds. */
  readonly lastFailureMs: number | undefined;
}

export function countersOf(status: DaskClusterStatus): Counters {
  const { workers } = status;
  const lastFailure = workers?.lastFailureTime;
  return {
    incarnation: status.incarnation ?? 1,
    schedulerRestarts: status.schedulerRestarts ?? 0,
    nextSlot: workers?.nextSlot ?? 0,
    consecutiveFailures: workers?.consecutiveFailures ?? 0,
    lastFailureMs: lastFailure === undefined ? undefined : Date.parse(lastFailure),
  };
}

export function differ(one: Counters, other: Counters): boolean {
  return (
    one.incarnation !== other.incarnation ||
    one.schedulerRestarts !== other.schedulerRestarts ||
    one.nextSlot !== other.nextSlot ||
    one.consecutiveFailures !== other.consecutiveFailures ||
    one.lastFailureMs !== other.lastFailureMs
  );
}
