import { formOf, type DaskCluster, type DaskClusterStatus } from '../../api/dask-cluster.ts';
import { foldConditions, no, yes, type Statement } from './conditions.ts';
import { findingsText } from './findings-text.ts';
import type { PlanInput } from './observed.ts';
import type { Plan } from './plan.ts';
import { wholeSeconds } from './status.ts';

/** Reason of the conditions and of the Event. */
const INVALID = 'InvalidSpec';

/**
 * Whether a cluster is of the gateway form and has not begun: only such a one may be ended because it is invalid. A
 * rule that is tightened later must not end what runs.
 */
export function isNewGateway(cluster: DaskCluster): boolean {
  return formOf(cluster.spec) === 'gateway' && !hasBegun(cluster);
}

/** Whether a gateway-form cluster is to be ended because it is invalid. */
export function isInvalidGateway({ cluster, errors }: Pick<PlanInput, 'cluster' | 'errors'>): boolean {
  return errors.length > 0 && isNewGateway(cluster);
}

/**
 * Ends an invalid gateway-form cluster as Failed, which dask-gateway's client shows as the end of its waiting: a
 * refusal at admission would have reached it as a bare HTTP 500.
 */
export function planInvalidGateway({ cluster, errors, now }: PlanInput): Plan {
  const message = findingsText(errors);
  const { status = {}, metadata } = cluster;
  const generation = metadata.generation ?? 0;
  const failed: DaskClusterStatus = {
    ...status,
    phase: 'Failed',
    form: 'gateway',
    observedGeneration: generation,
    completionTime: wholeSeconds(now),
    conditions: foldConditions(statements(message), status.conditions, generation, wholeSeconds(now)),
    message,
  };
  return {
    actions: [],
    status: failed,
    statusFirst: false,
    events: [{ type: 'Warning', reason: INVALID, note: message }],
    requeueAfterMs: undefined,
  };
}

function hasBegun({ status }: DaskCluster): boolean {
  const { phase, credentials, schedulerPod } = status ?? {};
  return (
    (phase !== undefined && phase !== 'Pending') || credentials !== undefined || schedulerPod !== undefined
  );
}

function statements(message: string): readonly Statement[] {
  return [
    no('Ready', INVALID, message),
    no('Progressing', INVALID, 'an invalid cluster is not started'),
    yes('Stalled', INVALID, message),
  ];
}
