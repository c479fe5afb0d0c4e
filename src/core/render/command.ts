import type { Container } from '../../api/kubernetes.ts';
import { DASHBOARD_PORT, SCHEDULER_PORT, serviceName } from '../../api/names.ts';
import { parseQuantity, toUnits } from '../quantity.ts';
import { WORKER_NAME_VARIABLE } from './environment.ts';
import type { Identity } from './owner.ts';

/** Whether the template leaves the command to daskwarden: it names neither `command` nor `args`. */
export function leavesCommand(container: Container): boolean {
  return isEmpty(container.command) && isEmpty(container.args);
}

/**
 * Rendered as `args`, not `command`: the image's entry point (normally an init process) stays around it.
 */
export function schedulerArgs(): string[] {
  return [
    'dask',
    'scheduler',
    '--protocol',
    'tls',
    '--port',
    String(SCHEDULER_PORT),
    '--dashboard-address',
    `:${String(DASHBOARD_PORT)}`,
  ];
}

/**
 * A worker uses what its container may use: a thread for each core of the limit, rounded up, and the memory limit.
 * Without limits: one thread, and the memory that Dask itself finds.
 */
export function workerArgs(container: Container, cluster: Identity): string[] {
  return [
    'dask',
    'worker',
    `tls://${serviceName(cluster.name)}.${cluster.namespace}:${String(SCHEDULER_PORT)}`,
    '--name',
    `$(${WORKER_NAME_VARIABLE.name})`,
    '--nthreads',
    threads(container),
    '--memory-limit',
    memoryLimit(container),
    '--dashboard-address',
    `:${String(DASHBOARD_PORT)}`,
  ];
}

function threads(container: Container): string {
  const limit = parseQuantity(container.resources?.limits?.['cpu']);
  return limit === undefined || limit <= 0n ? '1' : String(toUnits(limit));
}

/**
 * In bytes: Dask reads `2500m` as megabytes, refuses `1Ei` and takes numbers up to 1 for a fraction of the machine.
 */
function memoryLimit(container: Container): string {
  const limit = parseQuantity(container.resources?.limits?.['memory']);
  const bytes = limit === undefined ? 0n : toUnits(limit);
  return bytes <= 1n ? 'auto' : String(bytes);
}

function isEmpty(list: readonly string[] | null | undefined): boolean {
  return list === undefined || list === null || list.length === 0;
}
