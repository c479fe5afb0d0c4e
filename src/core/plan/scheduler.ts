import type { Termination } from '../../api/dask-cluster.ts';
import { backoffMs } from '../lifecycle/backoff.ts';
import type { PodState } from '../lifecycle/pod-state.ts';
import { renderSchedulerPod } from '../render/pod.ts';
import type { Action, ClusterEvent } from './action.ts';
import { isLive, isState, type Census, type Member } from './census.ts';
import type { Counters } from './counters.ts';
import { deletePods } from './deletion.ts';
import type { PlanInput } from './observed.ts';
import { describe, terminationOf } from './termination.ts';

/** What is to be done about the scheduler, and how the cluster stands because of it. */
export interface SchedulerPlan {
  readonly stand:
    | 'starting'
    | 'running'
    /** It ended by itself with exit code 0: the cluster is done. */
    | 'completed'
    /** It failed more often than it may. */
    | 'failed';
  readonly ready: boolean;
  readonly counters: Counters;
  readonly actions: readonly Action[];
  readonly events: readonly ClusterEvent[];
  readonly termination: Termination | undefined;
  /** Why it is not running yet, where that is known. */
  readonly reason: string | undefined;
  /** Epoch milliseconds at which a waiting restart is due. */
  readonly dueMs: number | undefined;
}

type Verdict = Pick<SchedulerPlan, 'stand' | 'counters' | 'events' | 'termination'>;

export function planScheduler(input: PlanInput, census: Census, counters: Counters): SchedulerPlan {
  const verdict = assess(input, census, counters);
  if (verdict.stand === 'completed' || verdict.stand === 'failed') {
    return { ...verdict, ready: false, actions: [], reason: undefined, dueMs: undefined };
  }
  const current = census.schedulers.find(({ incarnation }) => incarnation === verdict.counters.incarnation);
  if (current !== undefined) {
    const { state } = current;
    const ready = state.kind === 'running' && state.ready;
    const reason = state.kind === 'pending' ? state.reason : undefined;
    return { ...verdict, ready, actions: [], reason, dueMs: undefined };
  }
  return { ...verdict, ready: false, ...createWhenDue(input, census, verdict) };
}

/** Looks at the scheduler of the current incarnation and moves the counters on where it is gone. */
function assess(input: PlanInput, census: Census, counters: Counters): Verdict {
  const nothing = { stand: 'starting', counters, events: [], termination: undefined } as const;
  const current = census.schedulers.find(({ incarnation }) => incarnation === counters.incarnation);
  const next = { ...counters, incarnation: counters.incarnation + 1 };
  if (current === undefined) {
    const orphans = census.workers.some(
      (worker) => worker.incarnation === counters.incarnation && isLive(worker),
    );
    return orphans ? { ...nothing, counters: next, events: [gone('was deleted')] } : nothing;
  }
  switch (current.state.kind) {
    case 'pending':
      return nothing;
    case 'running':
      return { ...nothing, stand: 'running' };
    case 'terminating':
      return { ...nothing, counters: next, events: [gone('is being deleted')] };
    case 'succeeded':
      return {
        ...nothing,
        stand: 'completed',
        termination: terminationOf('scheduler', current, current.state),
      };
    case 'failed':
      return afterFailure(input, current, current.state, counters);
  }
}

function afterFailure(
  { cluster, settings }: PlanInput,
  member: Member,
  state: Extract<PodState, { kind: 'failed' }>,
  counters: Counters,
): Verdict {
  const termination = terminationOf('scheduler', member, state);
  const next = { ...counters, incarnation: counters.incarnation + 1 };
  if (state.disrupted) {
    return {
      stand: 'starting',
      counters: next,
      events: [gone(`was disrupted (${state.end.reason})`)],
      termination,
    };
  }
  const budget = cluster.spec.lifecycle?.schedulerRestarts ?? settings.schedulerRestarts;
  const used = counters.schedulerRestarts;
  const how = describe(termination);
  if (used >= budget) {
    const note = `the scheduler ${how}; its ${String(budget)} restarts are used up`;
    return {
      stand: 'failed',
      counters,
      events: [{ type: 'Warning', reason: 'SchedulerFailed', note }],
      termination,
    };
  }
  const note = `the scheduler ${how}; it is restarted with its workers (${String(used + 1)} of ${String(budget)})`;
  return {
    stand: 'starting',
    counters: { ...next, schedulerRestarts: used + 1 },
    events: [{ type: 'Warning', reason: 'SchedulerRestarted', note }],
    termination,
  };
}

/** The scheduler's name is the same in every incarnation: the old pod must be gone before the new one is posted. */
function createWhenDue(
  input: PlanInput,
  census: Census,
  { counters, termination }: Verdict,
): Pick<SchedulerPlan, 'actions' | 'reason' | 'dueMs'> {
  const { cluster, settings, now } = input;
  const old = census.schedulers.filter((member) => !isState(member, 'terminating'));
  if (old.length > 0) {
    return { actions: deletePods(old, 'Replaced'), reason: 'ReplacingScheduler', dueMs: undefined };
  }
  if (census.schedulers.length > 0)
    return { actions: [], reason: 'OldSchedulerTerminating', dueMs: undefined };
  const last = termination ?? cluster.status?.lastTermination;
  const failedAt = last?.role === 'scheduler' ? Date.parse(last.finishedAt) : Number.NEGATIVE_INFINITY;
  const dueMs = failedAt + backoffMs(settings.schedulerBackoff, counters.schedulerRestarts - 1);
  if (now < dueMs) return { actions: [], reason: 'BackOff', dueMs };
  const pod = renderSchedulerPod(cluster, settings.installation, counters.incarnation);
  return {
    actions: [{ kind: 'create-pod', role: 'scheduler', pod }],
    reason: 'SchedulerCreated',
    dueMs: undefined,
  };
}

function gone(how: string): ClusterEvent {
  const note = `the scheduler ${how}; it is started again with new workers`;
  return { type: 'Warning', reason: 'SchedulerGone', note };
}
