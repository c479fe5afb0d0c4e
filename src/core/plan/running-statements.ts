import type { Phase } from '../../api/dask-cluster.ts';
import { isState, type Census } from './census.ts';
import { no, yes, type Statement } from './conditions.ts';
import type { Counters } from './counters.ts';
import type { PlanInput } from './observed.ts';
import type { SchedulerPlan } from './scheduler.ts';

/** Reason of the conditions of a cluster of which the API server refused a write. */
export const REFUSED = 'WriteRefused';

export interface RunningStatements {
  readonly statements: readonly Statement[];
  readonly phase: Extract<Phase, 'Pending' | 'Running'>;
  readonly message: string;
}

/** What there is to say about a cluster that should run. */
export function runningStatements(
  input: PlanInput,
  census: Census,
  counters: Counters,
  scheduler: SchedulerPlan,
): RunningStatements {
  const credentials = credentialsStatement(input);
  const schedulerStatement = ofScheduler(scheduler);
  const workers = ofWorkers(input, census, counters);
  const unmet = [credentials, schedulerStatement, workers].find(({ status }) => status !== 'True');
  const obstacle = obstacleOf(input, credentials);
  const cause = unmet && (obstacle ?? unmet);
  const ready =
    cause === undefined
      ? yes('Ready', 'Running', 'the scheduler and all workers are running')
      : no('Ready', cause.reason, cause.message);
  const progressing =
    cause === undefined
      ? no('Progressing', 'Running', 'the cluster is what its manifest says')
      : yes('Progressing', cause.reason, cause.message);
  const stalled =
    obstacle === undefined
      ? no('Stalled', 'Progressing', 'nothing is in the way')
      : yes('Stalled', obstacle.reason, obstacle.message);
  return {
    statements: [ready, progressing, stalled, credentials, schedulerStatement, workers],
    phase: phaseOf(input, scheduler),
    message: ready.message,
  };
}

/** What the next attempt may meet again: it is said until one has succeeded. */
function obstacleOf(
  { observed }: PlanInput,
  credentials: Statement,
): Pick<Statement, 'reason' | 'message'> | undefined {
  if (observed.injectionMissing) return credentials;
  return observed.refusal === undefined ? undefined : { reason: REFUSED, message: observed.refusal };
}

/** Once Running, a scheduler that misses a probe stays so: clients take any other phase for a new start. */
function phaseOf({ cluster, observed }: PlanInput, scheduler: SchedulerPlan): 'Pending' | 'Running' {
  if (scheduler.stand !== 'running') return 'Pending';
  const was =
    cluster.status?.phase === 'Running' && cluster.status.incarnation === scheduler.counters.incarnation;
  return was || (scheduler.ready && observed.service !== undefined) ? 'Running' : 'Pending';
}

function credentialsStatement({ observed }: PlanInput): Statement {
  if (observed.injectionMissing) {
    return no(
      'CredentialsReady',
      'InjectionMissing',
      "a pod came back without its credentials: the webhook 'inject.pods.daskwarden.dev' is missing or was not asked",
    );
  }
  switch (observed.credentials.kind) {
    case 'present':
      return yes('CredentialsReady', 'Stored', 'the credentials are stored');
    case 'lost':
      return no('CredentialsReady', 'Restoring', 'the Secret was deleted and is put back');
    case 'absent':
    case 'leftover':
    case 'foreign':
      return no('CredentialsReady', 'Creating', 'the credentials are being made');
  }
}

function ofScheduler({ stand, ready, reason }: SchedulerPlan): Statement {
  if (stand === 'running' && ready) return yes('SchedulerReady', 'Ready', 'the scheduler is ready');
  if (stand === 'running') return no('SchedulerReady', 'NotReady', 'the scheduler runs but is not ready yet');
  const cause = reason ?? 'Starting';
  return no('SchedulerReady', cause, `the scheduler is not running yet (${cause})`);
}

function ofWorkers({ cluster }: PlanInput, { workers }: Census, { incarnation }: Counters): Statement {
  const desired = cluster.spec.worker?.replicas ?? 0;
  const mine = workers.filter((member) => member.incarnation === incarnation);
  const running = mine.filter((member) => isState(member, 'running')).length;
  const count = `${String(running)} of ${String(desired)} workers are running`;
  if (running >= desired) return yes('WorkersReady', 'AllRunning', count);
  const waiting = mine.map(({ state }) => (state.kind === 'pending' ? state.reason : undefined));
  const cause = waiting.find((reason) => reason !== undefined);
  return no('WorkersReady', cause ?? 'Starting', cause === undefined ? count : `${count} (${cause})`);
}
