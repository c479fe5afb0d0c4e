import {
  DASHBOARD_PORT,
  GATEWAY_API_PORT,
  SCHEDULER_PORT,
  serviceName,
  type Role,
} from '../../../api/names.ts';
import { GatewayConfig } from './config.ts';
import { GATEWAY_WORKER_NAME } from './environment.ts';
import { items, made, type Traced, written } from './traced.ts';

/** Who a pod belongs to, as far as its command and its environment say it. */
export interface ClusterName {
  readonly name: string;
  readonly namespace: string;
}

/** Scripts that distributed 2026.6 removed; `dask` has had the same as subcommands since 2022. */
const REMOVED_SCRIPTS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['dask-scheduler', ['dask', 'scheduler']],
  ['dask-worker', ['dask', 'worker']],
]);

export function schedulerArgs(config: GatewayConfig): Traced {
  const [period, timeout] = [config.adaptivePeriodSeconds(), config.idleTimeoutSeconds()];
  return items([
    ...program(config, 'scheduler'),
    ...ours('--protocol', 'tls', '--host', '', '--port', String(SCHEDULER_PORT)),
    ...ours('--dashboard-address', `:${String(DASHBOARD_PORT)}`),
    ...ours('--dg-api-address', `:${String(GATEWAY_API_PORT)}`),
    ...ours('--preload', 'dask_gateway.scheduler_preload', '--dg-heartbeat-period', '0'),
    made('--dg-adaptive-period'),
    made(String(period.value), period.at),
    made('--dg-idle-timeout'),
    made(String(timeout.value), timeout.at),
  ]);
}

export function workerArgs(config: GatewayConfig, { name, namespace }: ClusterName): Traced {
  const threads = config.threads();
  const { memoryLimit } = config.resourcesOf('worker');
  return items([
    ...program(config, 'worker'),
    ...ours(`tls://${serviceName(name)}.${namespace}:${String(SCHEDULER_PORT)}`),
    ...ours('--dashboard-address', `:${String(DASHBOARD_PORT)}`, '--name', `$(${GATEWAY_WORKER_NAME})`),
    made('--nthreads'),
    made(String(threads.value), threads.at),
    made('--memory-limit'),
    made(String(memoryLimit.value), memoryLimit.at),
  ]);
}

/** The words before the options: dask-gateway's default names a script that newer images do not have. */
function program(config: GatewayConfig, role: Role): readonly Traced[] {
  const key = `${role}_cmd`;
  const words = config.listOf(key) ?? [`dask-${role}`];
  return words.flatMap((word, index) => {
    const at = [...GatewayConfig.at(key), String(index)];
    const mended = index === 0 ? REMOVED_SCRIPTS.get(word) : undefined;
    return mended === undefined ? [written(word, at)] : mended.map((part) => made(part, at));
  });
}

function ours(...words: readonly string[]): readonly Traced[] {
  return words.map((word) => made(word));
}
