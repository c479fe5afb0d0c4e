import type { ContainerStatus, Pod } from '../../api/kubernetes.ts';
import type { Role } from '../../api/names.ts';
import { daskContainerIndex } from '../dask-container.ts';

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

/**
 * @param now epoch milliseconds, for a finished pod that says no time
 */
export function podState(pod: Pod, role: Role, now: number): PodState {
  if (pod.metadata.deletionTimestamp !== undefined) return { kind: 'terminating' };
  const container = daskContainerName(pod, role);
  const status = pod.status?.containerStatuses?.find(({ name }) => name === container);
  return finished(pod, container, status, now) ?? unfinished(pod, status);
}

function finished(
  pod: Pod,
  container: string,
  status: ContainerStatus | undefined,
  now: number,
): PodState | undefined {
  const phase = pod.status?.phase;
  const exitCode = status?.state?.terminated?.exitCode;
  // An OnFailure or Always container is started again in place by the kubelet: its exit is not the pod's.
  const endsWithFailure = exitCode !== undefined && exitCode !== 0 && pod.spec.restartPolicy === 'Never';
  const endsWell = exitCode === 0 && pod.spec.restartPolicy !== 'Always';
  if (phase === 'Failed' || endsWithFailure) {
    return { kind: 'failed', end: endOf(pod, container, status, now), disrupted: isDisrupted(pod) };
  }
  if (phase === 'Succeeded' || endsWell)
    return { kind: 'succeeded', end: endOf(pod, container, status, now) };
  return undefined;
}

function unfinished(pod: Pod, status: ContainerStatus | undefined): PodState {
  // A pod that merely says Running, without container statuses, is believed.
  const state = status?.state;
  const running = pod.status?.phase === 'Running' && (state === undefined || state.running !== undefined);
  if (running) return { kind: 'running', ready: isReady(pod) };
  return { kind: 'pending', scheduled: pod.spec.nodeName !== undefined, reason: waitingReason(pod, status) };
}

/** Name of the container that runs Dask; for a pod that does not tell, the role's conventional name never matches. */
export function daskContainerName(pod: Pod, role: Role): string {
  const index = daskContainerIndex(pod.spec.containers, role);
  return (index === undefined ? undefined : pod.spec.containers[index]?.name) ?? '';
}

function endOf(pod: Pod, container: string, status: ContainerStatus | undefined, now: number): End {
  const terminated = status?.state?.terminated;
  return {
    container,
    exitCode: terminated?.exitCode,
    reason: terminated?.reason ?? pod.status?.reason ?? 'Unknown',
    message: terminated?.message ?? pod.status?.message,
    finishedAtMs: timeOf(terminated?.finishedAt) ?? lastTransition(pod) ?? now,
  };
}

/** For a pod without a terminated container (evicted before it started): the last change of a condition. */
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
  return status?.state?.waiting?.reason ?? unscheduled?.reason;
}
