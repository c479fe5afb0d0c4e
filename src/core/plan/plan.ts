import { formOf, type DaskCluster, type DaskClusterStatus } from '../../api/dask-cluster.ts';
import { PAUSED_ANNOTATION } from '../../api/names.ts';
import type { Action, ClusterEvent } from './action.ts';
import { planFinished } from './finished.ts';
import { isInvalidGateway, planInvalidGateway } from './invalid-gateway.ts';
import type { PlanInput } from './observed.ts';
import { planRunning } from './running.ts';
import { isFinished } from './status.ts';

/** What is to be done about a cluster now. */
export interface Plan {
  /** In order; the first error ends the execution, and the next plan is made from what is seen then. */
  readonly actions: readonly Action[];
  readonly status: DaskClusterStatus;
  /** The status holds a counter that an action uses up: it must be stored before the first action. */
  readonly statusFirst: boolean;
  /** To be emitted once all of it has succeeded. */
  readonly events: readonly ClusterEvent[];
  /** Milliseconds until time alone changes the plan; undefined where it waits for an event. */
  readonly requeueAfterMs: number | undefined;
}

/**
 * Decides what to do about one cluster. Pure, total and deterministic: the same cluster, observation and time give the
 * same plan, and once every action has been executed and observed the next plan is empty.
 */
export function plan(input: PlanInput): Plan {
  const { cluster } = input;
  if (!isOurs(cluster)) return unchanged(cluster);
  if (formOf(cluster.spec) === 'gateway') {
    return isInvalidGateway(input) ? planInvalidGateway(input) : unchanged(cluster);
  }
  const stopped = cluster.spec.active === false;
  return stopped || isFinished(cluster) ? planFinished(input) : planRunning(input);
}

/** A plan that leaves everything as it is. */
export function unchanged({ status }: DaskCluster): Plan {
  return { actions: [], status: status ?? {}, statusFirst: false, events: [], requeueAfterMs: undefined };
}

/** Whether there is anything to plan: a deleted cluster's children go by their owner references; a paused one is its owner's to mend. */
export function isOurs({ metadata, spec }: DaskCluster): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  if (metadata.annotations?.[PAUSED_ANNOTATION] === 'true') return false;
  return formOf(spec) !== undefined;
}
