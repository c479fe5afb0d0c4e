import type { DaskClusterStatus, Phase } from '../../api/dask-cluster.ts';
import type { ClusterEvent } from './action.ts';
import { takeCensus } from './census.ts';
import { cleanUp } from './cleanup.ts';
import { no, reasonOf, type Statement } from './conditions.ts';
import { countersOf } from './counters.ts';
import type { PlanInput } from './observed.ts';
import type { Plan } from './plan.ts';
import { INACTIVE, statusOf } from './status.ts';

/** How a cluster ended; the reason of its Ready condition from then on. */
export interface Ending {
  readonly phase: Extract<Phase, 'Stopped' | 'Failed'>;
  readonly reason: string;
  readonly message: string;
}

const SWITCHED_OFF: Ending = {
  phase: 'Stopped',
  reason: INACTIVE,
  message: 'spec.active is false; set it to true to start the cluster again',
};

/** A cluster that was switched off or has ended: its children go, its status stays. */
export function planFinished(input: PlanInput): Plan {
  const status = input.cluster.status ?? {};
  const before = endingOf(status);
  const ending = input.cluster.spec.active === false ? SWITCHED_OFF : (before ?? SWITCHED_OFF);
  const isNew = before === undefined || before.reason !== ending.reason;
  const event: ClusterEvent = { type: 'Normal', reason: 'Stopped', note: 'spec.active is false' };
  return { ...finish(input, ending), events: isNew ? [event] : [] };
}

/** The plan of a cluster with this ending, whether it has just come to it or long since. */
export function finish(input: PlanInput, ending: Ending): Omit<Plan, 'events'> {
  const { cluster, now, settings } = input;
  const keepUntilMs = keepUntil(input, ending);
  const { actions, done } = cleanUp(input, ending.phase === 'Failed' ? 'Failed' : 'Stopped', keepUntilMs);
  const census = takeCensus(input.observed.pods, now);
  const status = statusOf({
    cluster,
    installation: settings.installation,
    census,
    counters: countersOf(cluster.status ?? {}),
    phase: ending.phase,
    statements: statements(ending, done),
    message: ending.message,
    termination: undefined,
    now,
  });
  const waits = done && keepUntilMs > now && census.schedulers.length > 0;
  return { actions, status, statusFirst: false, requeueAfterMs: waits ? keepUntilMs - now : undefined };
}

function keepUntil({ cluster, now, settings }: PlanInput, { phase }: Ending): number {
  if (phase !== 'Failed') return Number.NEGATIVE_INFINITY;
  const since = cluster.status?.completionTime;
  return (since === undefined ? now : Date.parse(since)) + settings.retainFailedMs;
}

function statements({ phase, reason, message }: Ending, done: boolean): readonly Statement[] {
  const cleanup = done ? 'nothing of the cluster is left running' : 'the cluster is being taken down';
  return [
    no('Ready', reason, message),
    done
      ? no('Progressing', reason, cleanup)
      : { type: 'Progressing', status: 'True', reason: 'CleaningUp', message: cleanup },
    phase === 'Failed'
      ? { type: 'Stalled', status: 'True', reason, message }
      : no('Stalled', reason, 'the cluster has ended as it should'),
    no('CredentialsReady', reason, 'the credentials are removed with the cluster'),
    no('SchedulerReady', reason, message),
    no('WorkersReady', reason, message),
  ];
}

/** How a stored status says that the cluster ended, or undefined where it has not. */
function endingOf({ phase, conditions, message = '' }: DaskClusterStatus): Ending | undefined {
  if (phase !== 'Stopped' && phase !== 'Failed') return undefined;
  return { phase, reason: reasonOf(conditions, 'Ready') ?? 'Unknown', message };
}
