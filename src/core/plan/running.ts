import type { DaskClusterStatus } from '../../api/dask-cluster.ts';
import { credentialsSecretName, schedulerPodName, serviceName } from '../../api/names.ts';
import { format } from '../findings.ts';
import { isControlledBy } from '../render/owner.ts';
import { renderService } from '../render/service.ts';
import type { Action, ClusterEvent } from './action.ts';
import { takeCensus, type Census } from './census.ts';
import { no, yes, type Statement } from './conditions.ts';
import { countersOf, differ, type Counters } from './counters.ts';
import { finish, type Ending } from './finished.ts';
import type { PlanInput } from './observed.ts';
import type { Plan } from './plan.ts';
import { runningStatements } from './running-statements.ts';
import { planScheduler, type SchedulerPlan } from './scheduler.ts';
import { statusOf, wasInactive } from './status.ts';
import { describe } from './termination.ts';
import { deleteStale, planWorkers, type WorkersPlan } from './workers.ts';

/** How long to wait before pods are posted again after one came back without its credentials. */
const INJECTION_RETRY_MS = 10_000;

const NAME_CONFLICT = 'NameConflict';
const CONFLICT_RETRY_MS = 30_000;

/** A cluster that should run: brings its children to what the manifest says. */
export function planRunning(given: PlanInput): Plan {
  const resumed = wasInactive(given.cluster.status ?? {});
  const input = resumed
    ? { ...given, cluster: { ...given.cluster, status: resume(given.cluster.status ?? {}) } }
    : given;
  const blocked = blockedBy(input);
  if (blocked !== undefined) return stalled(input, blocked);
  if (input.observed.credentials.kind === 'lost' && !input.observed.credentials.restorable) {
    return ended(input, CREDENTIALS_LOST, {
      type: 'Warning',
      reason: 'CredentialsLost',
      note: CREDENTIALS_LOST.message,
    });
  }
  const census = takeCensus(input.observed.pods, input.now);
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
  // Nothing that needs the credentials is posted while the webhook that injects them is away.
  const pods = [...scheduler.actions, ...(workers?.actions ?? [])].filter(
    (action) => action.kind !== 'create-pod' || !input.observed.injectionMissing,
  );
  const status = statusOf({
    cluster: input.cluster,
    installation: input.settings.installation,
    census,
    counters,
    phase,
    statements,
    message,
    termination: workers?.termination ?? scheduler.termination,
    now: input.now,
  });
  return {
    actions: [...foundation, ...deleteStale(census, counters), ...pods],
    status,
    statusFirst: resumed || differ(before, counters),
    events: [...(resumed ? [RESUMED] : []), ...scheduler.events, ...(workers?.events ?? [])],
    requeueAfterMs: earliest(input, scheduler, workers),
  };
}

/** The credentials and the Service, which everything else needs. */
function foundations({ cluster, observed, settings }: PlanInput): readonly Action[] {
  const secretName = credentialsSecretName(cluster.metadata.name ?? '');
  const actions: Action[] = [];
  if (observed.credentials.kind === 'absent') actions.push({ kind: 'create-credentials', secretName });
  if (observed.credentials.kind === 'lost') actions.push({ kind: 'restore-credentials', secretName });
  if (observed.service === undefined) {
    actions.push({ kind: 'create-service', service: renderService(cluster, settings.installation) });
  }
  return actions;
}

/** What keeps a cluster from being worked on at all, as a condition's reason and message. */
function blockedBy(input: PlanInput): Pick<Statement, 'reason' | 'message'> | undefined {
  const { cluster, observed, errors } = input;
  if (errors.length > 0) return { reason: 'InvalidSpec', message: errors.map(format).join('; ') };
  const name = cluster.metadata.name ?? '';
  const taken = [
    observed.credentials.kind === 'foreign' ? `Secret '${credentialsSecretName(name)}'` : undefined,
    observed.service !== undefined && !isControlledBy(observed.service, cluster.metadata.uid ?? '')
      ? `Service '${serviceName(name)}'`
      : undefined,
    observed.foreignPods.includes(schedulerPodName(name)) ? `Pod '${schedulerPodName(name)}'` : undefined,
  ].filter((text) => text !== undefined);
  if (taken.length === 0) return undefined;
  return {
    reason: NAME_CONFLICT,
    message: `${taken.join(' and ')} of this namespace belongs to somebody else; remove it or give the cluster another name`,
  };
}

/** Touches nothing, and says why. Pods that already run go on. */
function stalled(input: PlanInput, { reason, message }: Pick<Statement, 'reason' | 'message'>): Plan {
  const { cluster, now, settings } = input;
  const statements = [
    no('Ready', reason, message),
    no('Progressing', reason, message),
    yes('Stalled', reason, message),
    { type: 'CredentialsReady', status: 'Unknown', reason, message: 'not looked at' },
    { type: 'SchedulerReady', status: 'Unknown', reason, message: 'not looked at' },
    { type: 'WorkersReady', status: 'Unknown', reason, message: 'not looked at' },
  ] as const;
  const status = statusOf({
    cluster,
    installation: settings.installation,
    census: takeCensus(input.observed.pods, now),
    counters: countersOf(cluster.status ?? {}),
    phase: cluster.status?.phase ?? 'Pending',
    statements,
    message,
    termination: undefined,
    now,
  });
  const known = cluster.status?.message === message;
  const event: ClusterEvent = { type: 'Warning', reason, note: message };
  return {
    actions: [],
    status,
    statusFirst: false,
    events: known ? [] : [event],
    // A Secret that is in the way is not watched: it is looked for again.
    requeueAfterMs: reason === NAME_CONFLICT ? CONFLICT_RETRY_MS : undefined,
  };
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
