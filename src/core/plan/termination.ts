import type { Termination } from '../../api/dask-cluster.ts';
import type { Role } from '../../api/names.ts';
import type { PodState } from '../lifecycle/pod-state.ts';
import type { Member } from './census.ts';

/** How a pod ended, as status keeps it after the pod is gone. */
export function terminationOf(
  role: Role,
  { pod }: Member,
  { end }: Extract<PodState, { kind: 'failed' | 'succeeded' }>,
): Termination {
  return {
    role,
    pod: pod.metadata.name ?? '',
    container: end.container,
    ...(end.exitCode === undefined ? {} : { exitCode: end.exitCode }),
    reason: end.reason,
    ...(end.message === undefined || end.message === '' ? {} : { message: lastWords(end.message) }),
    finishedAt: new Date(end.finishedAtMs).toISOString(),
  };
}

/** How a container ended, for a sentence: `ended with exit code 137 (OOMKilled)`. */
export function describe({ exitCode, reason }: Termination): string {
  return exitCode === undefined
    ? `was ended (${reason})`
    : `ended with exit code ${String(exitCode)} (${reason})`;
}

const LONGEST_MESSAGE = 2_048;

/** The end of a log says why; its beginning rarely does. */
function lastWords(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : message.slice(-LONGEST_MESSAGE);
}
