import type { DaskClusterStatus } from '../../api/dask-cluster.ts';
import { credentialsSecretName } from '../../api/names.ts';
import { renderService } from '../render/service.ts';
import type { Action, ClusterEvent } from './action.ts';
import { planBlocked } from './blocked.ts';
import { isLive, takeCensus, type Census } from './census.ts';
import { countersOf, differ, type Counters } from './counters.ts';
import { finish, type Ending } from './finished.ts';
import { limitedEvents, limitedStatements, withinLimits } from './limited.ts';
import type { PlanInput } from './observed.ts';
import type { Plan } from './plan.ts';
import { runningStatements } from './running-statements.ts';
import { planScheduler, type SchedulerPlan } from './scheduler.ts';
import { statusOf, wasInactive } from './status.ts';
import { describe } from './termination.ts';
import { deleteStale, planWorkers, type WorkersPlan } from './workers.ts';

/** How long to wait before pods are posted again after one came back without its credentials. */
const INJECTION_RETRY_MS = 10_000;

/** A cluster that should run: brings its children to what the manifest says. */
export function planRunning(given: PlanInput): Plan {
  const resumed = wasInactive(given.cluster.status ?? {});
  const cluster = withinLimits(given.cluster, given.grant);
  const input = resumed
    ? { ...given, cluster: { ...cluster, status: resume(given.cluster.status ?? {}) } }
    : { ...given, cluster };
  const blocked = planBlocked(input);
  if (blocked !== undefined) return blocked;
  const census = takeCensus(input.observed.pods, input.now);
  if (isLost(input) && isInUse(input, census)) {
    return ended(input, CREDENTIALS_LOST, {
      type: 'Warning',
      reason: 'CredentialsLost',
      note: CREDENTIALS_LOST.message,
    });
  }
  const before = countersOf(given.cluster.status ?? {});
  const scheduler = planScheduler(input, census, countersOf(input.cluster.status ?? {}));
  if (scheduler.stand === 'completed' || scheduler.stand === 'failed')
    return afterScheduler(input, scheduler);
  const workers = scheduler.stand === 'running' ? planWorkers(input, census, scheduler.counters) : undefined;
  return assemble({ input, census, before, scheduler, workers, resumed });
}

interface Parts {
  readonly input: PlanInput;
  readonly census: Census;
  readonly before: Counters;
  readonly scheduler: SchedulerPlan;
  readonly workers: WorkersPlan | undefined;
  readonly resumed: boolean;
}

function assemble({ input, census, before, scheduler, workers, resumed }: Parts): Plan {
  const counters = workers?.counters ?? scheduler.counters;
  const { statements, phase, message } = runningStatements(input, census, counters, scheduler);
  const foundation = foundations(input);
  const pods = [...scheduler.actions, ...(workers?.actions ?? [])];
  const status = statusOf({
    cluster: input.cluster,
    installation: input.settings.installation,
    census,
    counters,
    phase,
    statements: [...statements, ...limitedStatements(input)],
    message,
    termination: workers?.termination ?? scheduler.termination,
    now: input.now,
  });
  return {
    actions: [...foundation, ...deleteStale(census, counters), ...withoutFutile(input, pods)],
    status,
    statusFirst: resumed || differ(before, counters),
    events: [
      ...(resumed ? [RESUMED] : []),
      ...limitedEvents(input),
      ...scheduler.events,
      ...(workers?.events ?? []),
    ],
    requeueAfterMs: earliest(input, scheduler, workers),
  };
}

/** While the webhook that injects the credentials is away no pod is posted, but for one now and then as a trial. */
function withoutFutile({ observed }: PlanInput, actions: readonly Action[]): readonly Action[] {
  if (!observed.injectionMissing) return actions;
  const trial = observed.injectionTrialDue ? actions.find(({ kind }) => kind === 'create-pod') : undefined;
  return actions.filter((action) => action.kind !== 'create-pod' || action === trial);
}

/** The Secret is gone and nobody knows its bytes: where nothing runs with them, new ones will do. */
function isLost({ observed: { credentials } }: PlanInput): boolean {
  return credentials.kind === 'lost' && !credentials.restorable;
}

function isInUse({ cluster }: PlanInput, { schedulers, workers }: Census): boolean {
  return cluster.status?.phase === 'Running' || [...schedulers, ...workers].some(isLive);
}

/** The credentials and the Service, which everything else needs. */
function foundations(input: PlanInput): readonly Action[] {
  const { cluster, observed, settings } = input;
  const secretName = credentialsSecretName(cluster.metadata.name ?? '');
  const actions: Action[] = [];
  const { kind } = observed.credentials;
  if (kind === 'absent' || isLost(input)) actions.push({ kind: 'create-credentials', secretName });
  else if (kind === 'lost') actions.push({ kind: 'restore-credentials', secretName });
  if (observed.service === undefined) {
    actions.push({ kind: 'create-service', service: renderService(cluster, settings.installation) });
  }
  return actions;
}

function afterScheduler(input: PlanInput, { stand, termination, events }: SchedulerPlan): Plan {
  const how = termination === undefined ? 'ended' : describe(termination);
  const completed: Ending = { phase: 'Stopped', reason: 'Completed', message: `the scheduler ${how}` };
  const failed: Ending = {
    phase: 'Failed',
    reason: 'SchedulerFailed',
    message: `the scheduler ${how}, once too often`,
  };
  const plan = ended(
    input,
    stand === 'completed' ? completed : failed,
    ...(stand === 'completed'
      ? [{ type: 'Normal', reason: 'Completed', note: completed.message } as const]
      : events),
  );
  return termination === undefined
    ? plan
    : { ...plan, status: { ...plan.status, lastTermination: termination } };
}

function ended(input: PlanInput, ending: Ending, ...events: readonly ClusterEvent[]): Plan {
  const plan = finish(input, ending);
  const credentials = input.cluster.status?.credentials;
  // The end must be known before its evidence, the scheduler's pod, is deleted; and the Secret's name as long as the
  // Secret may still be there.
  const status = { ...plan.status, ...(credentials === undefined ? {} : { credentials }) };
  return { ...plan, status, statusFirst: true, events };
}

const CREDENTIALS_LOST: Ending = {
  phase: 'Failed',
  reason: 'CredentialsLost',
  message:
    'the Secret with the credentials was deleted and its bytes are not known any more; new ones would lock out what runs, so start the cluster anew',
};

const RESUMED: ClusterEvent = { type: 'Normal', reason: 'Resumed', note: 'spec.active is true again' };

/** A cluster that was switched off begins a new incarnation with a fresh budget; only the numbers go on. */
function resume({ incarnation = 1, workers }: DaskClusterStatus): DaskClusterStatus {
  return {
    phase: 'Pending',
    incarnation: incarnation + 1,
    ...(workers === undefined ? {} : { workers: { ...workers, consecutiveFailures: 0 } }),
  };
}

function earliest(
  { now, observed }: PlanInput,
  scheduler: SchedulerPlan,
  workers: WorkersPlan | undefined,
): number | undefined {
  const due = [
    scheduler.dueMs,
    workers?.dueMs,
    observed.injectionMissing ? now + INJECTION_RETRY_MS : undefined,
  ].filter((time) => time !== undefined);
  return due.length === 0 ? undefined : Math.max(0, Math.min(...due) - now);
}
