import { formOf, type DaskCluster, type DaskClusterStatus } from '../../api/dask-cluster.ts';
import { format, type Finding } from '../findings.ts';
import { foldConditions, no, yes, type Statement } from './conditions.ts';
import type { PlanInput } from './observed.ts';
import type { Plan } from './plan.ts';
import { wholeSeconds } from './status.ts';

/** Reason of the conditions and of the Event. */
const INVALID = 'InvalidSpec';
/** dask-gateway's users read it in a terminal; every finding is in the webhook's log. */
const LONGEST_MESSAGE = 4_000;

/**
 * Whether a gateway-form cluster is to be ended because it is invalid. One that has begun is left alone: a rule that
 * is tightened later must not end what runs.
 */
export function isInvalidGateway({ cluster, errors }: Pick<PlanInput, 'cluster' | 'errors'>): boolean {
  return formOf(cluster.spec) === 'gateway' && errors.length > 0 && !hasBegun(cluster);
}

/**
 * Ends an invalid gateway-form cluster as Failed, which dask-gateway's client shows as the end of its waiting: a
 * refusal at admission would have reached it as a bare HTTP 500.
 */
export function planInvalidGateway({ cluster, errors, now }: PlanInput): Plan {
  const message = messageOf(errors);
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

/** As many findings as there is room for, and how many there are besides. */
function messageOf(errors: readonly Finding[]): string {
  const told: string[] = [];
  let length = 0;
  for (const text of errors.map(format)) {
    length += text.length;
    if (told.length > 0 && length > LONGEST_MESSAGE) break;
    told.push(text);
  }
  const more = errors.length - told.length;
  return [...told, ...(more === 0 ? [] : [`${String(more)} more`])].join('; ');
}
