import type { Container, ContainerStatus, Pod } from '../../api/kubernetes.ts';
import type { Role } from '../../api/names.ts';
import { daskContainerOfPod } from '../dask-container.ts';
import { restartsInPlace } from './restart-in-place.ts';

/** How a pod of a cluster stands, judged by its Dask container: a live sidecar does not keep a dead worker alive. */
export type PodState =
  | { readonly kind: 'pending'; readonly scheduled: boolean; readonly reason: string | undefined }
  | { readonly kind: 'running'; readonly ready: boolean }
  | { readonly kind: 'terminating' }
  | { readonly kind: 'succeeded'; readonly end: End }
  | { readonly kind: 'failed'; readonly end: End; readonly disrupted: boolean };

/** How the Dask container of a finished pod ended. */
export interface End {
  readonly container: string;
  readonly exitCode: number | undefined;
  readonly reason: string;
  readonly message: string | undefined;
  /** Epoch milliseconds. */
  readonly finishedAtMs: number;
}

/** Reasons of pods that the cluster, not their program, brought to an end; they use no restart budget. */
const DISRUPTIONS = new Set([
  'Evicted',
  'Preempted',
  'Preempting',
  'Shutdown',
  'NodeShutdown',
  'Terminated',
  'NodeLost',
]);

/** What every other container says until the init containers are done; which of them is stuck, and why, they say. */
const WAITS_FOR_INIT_CONTAINERS = 'PodInitializing';

/**
 * @param now epoch milliseconds, for a finished pod that says no time
 */
export function podState(pod: Pod, role: Role, now: number): PodState {
  if (pod.metadata.deletionTimestamp !== undefined) return { kind: 'terminating' };
  const container = daskContainerOfPod(pod, role)?.container;
  const status = pod.status?.containerStatuses?.find(({ name }) => name === container?.name);
  return finished(pod, container, status, now) ?? unfinished(pod, status);
}

function finished(
  pod: Pod,
  container: Container | undefined,
  status: ContainerStatus | undefined,
  now: number,
): PodState | undefined {
  const outcome = outcomeOf(pod, container, status?.state?.terminated?.exitCode);
  if (outcome === undefined) return undefined;
  const end = endOf(pod, container, status, now);
  return outcome === 'failed'
    ? { kind: 'failed', end, disrupted: isDisrupted(pod) }
    : { kind: 'succeeded', end };
}

function outcomeOf(
  pod: Pod,
  container: Container | undefined,
  exitCode: number | undefined,
): 'failed' | 'succeeded' | undefined {
  const { phase, reason } = pod.status ?? {};
  if (phase === 'Succeeded') return 'succeeded';
  // What the kubelet starts again in place has not ended.
  const ended =
    container !== undefined &&
    exitCode !== undefined &&
    !restartsInPlace(pod.spec.restartPolicy, container, exitCode);
  // Dask ends with 0 when it is told to go, so its exit code says nothing of a pod that was brought to an end.
  if (ended && exitCode === 0 && !isDisrupted(pod) && reason === undefined) return 'succeeded';
  return ended || phase === 'Failed' ? 'failed' : undefined;
}

function unfinished(pod: Pod, status: ContainerStatus | undefined): PodState {
  // A pod that merely says Running, without container statuses, is believed.
  const state = status?.state;
  const running = pod.status?.phase === 'Running' && (state === undefined || state.running !== undefined);
  if (running) return { kind: 'running', ready: isReady(pod) };
  return { kind: 'pending', scheduled: pod.spec.nodeName !== undefined, reason: waitingReason(pod, status) };
}

function endOf(
  pod: Pod,
  container: Container | undefined,
  status: ContainerStatus | undefined,
  now: number,
): End {
  const terminated = status?.state?.terminated;
  // A pod that has a reason of its own was ended by the cluster; how the container took it explains nothing.
  const { reason, message } = pod.status?.reason === undefined ? (terminated ?? {}) : pod.status;
  return {
    container: container?.name ?? '',
    exitCode: terminated?.exitCode,
    reason: reason ?? 'Unknown',
    message: message ?? pod.status?.message,
    finishedAtMs: timeOf(terminated?.finishedAt) ?? lastSign(pod) ?? now,
  };
}

/** For a pod without a terminated container (evicted before it started). It must not move with the clock. */
function lastSign(pod: Pod): number | undefined {
  return lastTransition(pod) ?? timeOf(pod.metadata.creationTimestamp);
}

function lastTransition(pod: Pod): number | undefined {
  const times = (pod.status?.conditions ?? [])
    .map((condition) => timeOf(condition.lastTransitionTime))
    .filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
}

function timeOf(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

function isDisrupted(pod: Pod): boolean {
  if (DISRUPTIONS.has(pod.status?.reason ?? '')) return true;
  return (
    pod.status?.conditions?.some(({ type, status }) => type === 'DisruptionTarget' && status === 'True') ===
    true
  );
}

function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}

function waitingReason(pod: Pod, status: ContainerStatus | undefined): string | undefined {
  const unscheduled = pod.status?.conditions?.find(
    ({ type, status: value }) => type === 'PodScheduled' && value === 'False',
  );
  const reason = status?.state?.waiting?.reason ?? unscheduled?.reason;
  return reason === WAITS_FOR_INIT_CONTAINERS ? (initReason(pod) ?? reason) : reason;
}

function initReason(pod: Pod): string | undefined {
  return pod.status?.initContainerStatuses?.find(({ state }) => state?.waiting?.reason !== undefined)?.state
    ?.waiting?.reason;
}
