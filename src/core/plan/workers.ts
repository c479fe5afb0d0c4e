import type { Termination } from '../../api/dask-cluster.ts';
import { backoffMs } from '../lifecycle/backoff.ts';
import type { PodState } from '../lifecycle/pod-state.ts';
import { renderWorkerPod } from '../render/pod.ts';
import type { Action, ClusterEvent } from './action.ts';
import { isLive, isState, type Census, type Member } from './census.ts';
import type { Counters } from './counters.ts';
import { deletePods } from './deletion.ts';
import type { PlanInput } from './observed.ts';
import { describe, terminationOf } from './termination.ts';

type FailedMember = Member<Extract<PodState, { kind: 'failed' }>>;

export interface WorkersPlan {
  readonly counters: Counters;
  readonly actions: readonly Action[];
  readonly events: readonly ClusterEvent[];
  readonly termination: Termination | undefined;
  /** Epoch milliseconds at which the next held failure is to be replaced. */
  readonly dueMs: number | undefined;
}

/**
 * Keeps the live workers of the current incarnation at `replicas`.
 *
 * A failed worker's pod is held until its backoff has passed: as long as it stands it takes a worker's place, so that
 * a crash loop is slow while a worker that somebody deleted is replaced at once.
 */
export function planWorkers(input: PlanInput, census: Census, counters: Counters): WorkersPlan {
  const mine = census.workers.filter(({ incarnation }) => incarnation === counters.incarnation);
  const failed = mine.filter((member): member is FailedMember => isState(member, 'failed'));
  const { released, held, dueMs } = releaseDue(input, failed, counters);
  const live = mine.filter(isLive);
  const desired = input.cluster.spec.worker?.replicas ?? 0;
  const surplus = live.length + held.length - desired;
  const dropped = surplus > 0 ? held.slice(0, surplus) : [];
  const excess = surplus - dropped.length > 0 ? leastUseful(live).slice(0, surplus - dropped.length) : [];
  const missing = Math.max(0, -surplus);
  const actions: Action[] = [
    ...deletePods(
      mine.filter((member) => isState(member, 'succeeded')),
      'Retired',
    ),
    ...deletePods(released, 'Replaced'),
    ...deletePods([...dropped, ...excess], 'ScaledDown'),
    ...creations(input, counters, missing),
  ];
  return {
    counters: { ...counted(input, released, counters), nextSlot: counters.nextSlot + missing },
    actions,
    events: events(released, excess.length, missing),
    termination: newest(failed),
    dueMs: held.length > dropped.length ? dueMs : undefined,
  };
}

/** Pods of earlier incarnations belong to a scheduler that is gone. */
export function deleteStale({ workers }: Census, { incarnation }: Counters): readonly Action[] {
  return deletePods(
    workers.filter((member) => member.incarnation !== incarnation),
    'SchedulerGone',
  );
}

interface Release {
  readonly released: readonly FailedMember[];
  readonly held: readonly FailedMember[];
  readonly dueMs: number | undefined;
}

function releaseDue(
  { settings, now }: PlanInput,
  failed: readonly FailedMember[],
  counters: Counters,
): Release {
  const { workerBackoff } = settings;
  const quiet = now - (counters.lastFailureMs ?? Number.NEGATIVE_INFINITY) > workerBackoff.resetMs;
  const delay = backoffMs(workerBackoff, quiet ? 0 : counters.consecutiveFailures);
  // What the cluster did to a worker is no failure of its program: it is replaced at once.
  const dueAt = ({ state }: FailedMember): number => (state.disrupted ? now : state.end.finishedAtMs + delay);
  const held = failed.filter((member) => dueAt(member) > now);
  return {
    released: failed.filter((member) => dueAt(member) <= now),
    held,
    dueMs: held.length === 0 ? undefined : Math.min(...held.map(dueAt)),
  };
}

/** Workers that failed together count once: one bad node or image is one failure. */
function counted({ settings }: PlanInput, released: readonly FailedMember[], counters: Counters): Counters {
  const failures = released
    .filter(({ state }) => !state.disrupted)
    .map(({ state }) => state.end.finishedAtMs);
  if (failures.length === 0) return counters;
  const last = Math.max(...failures);
  const quiet = last - (counters.lastFailureMs ?? Number.NEGATIVE_INFINITY) > settings.workerBackoff.resetMs;
  return {
    ...counters,
    consecutiveFailures: quiet ? 1 : counters.consecutiveFailures + 1,
    lastFailureMs: last,
  };
}

/** Who goes first when there are too many: what no node runs yet, then what does no work yet, then the newest. */
function leastUseful(live: readonly Member[]): readonly Member[] {
  const rank = ({ state }: Member): number => {
    if (state.kind !== 'pending') return 2;
    return state.scheduled ? 1 : 0;
  };
  return [...live].sort((one, other) => rank(one) - rank(other) || other.slot - one.slot);
}

function creations({ cluster, settings }: PlanInput, counters: Counters, count: number): Action[] {
  return Array.from({ length: count }, (_, index): Action => {
    const slot = counters.nextSlot + index;
    const pod = renderWorkerPod(cluster, settings.installation, { incarnation: counters.incarnation, slot });
    return { kind: 'create-pod', role: 'worker', pod };
  });
}

function events(released: readonly FailedMember[], excess: number, missing: number): readonly ClusterEvent[] {
  const list: ClusterEvent[] = released.map((member) => ({
    type: 'Warning',
    reason: 'WorkerReplaced',
    note: `worker ${member.pod.metadata.name ?? ''} ${describe(terminationOf('worker', member, member.state))}`,
  }));
  if (missing > 0)
    list.push({ type: 'Normal', reason: 'WorkersCreated', note: `created ${workers(missing)}` });
  if (excess > 0) list.push({ type: 'Normal', reason: 'ScaledDown', note: `removed ${workers(excess)}` });
  return list;
}

function workers(count: number): string {
  return count === 1 ? '1 worker' : `${String(count)} workers`;
}

function newest(failed: readonly FailedMember[]): Termination | undefined {
  const last = failed.reduce<FailedMember | undefined>(
    (best, member) =>
      best === undefined || member.state.end.finishedAtMs > best.state.end.finishedAtMs ? member : best,
    undefined,
  );
  return last === undefined ? undefined : terminationOf('worker', last, last.state);
}
