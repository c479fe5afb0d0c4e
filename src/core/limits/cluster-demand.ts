import { formOf, type DaskCluster } from '../../api/dask-cluster.ts';
import { isFinished } from '../plan/status.ts';
import { parseQuantity, type NanoQuantity } from '../quantity.ts';
import { NO_DEMAND, ONE, ZERO, type Demand } from './demand.ts';
import { podRequest, type PodRequest } from './pod-request.ts';

/** What a cluster's scheduler and each of its workers request. */
export interface Shape {
  readonly scheduler: PodRequest;
  readonly worker: PodRequest;
}

/** What the pods of a cluster request, all of them; nothing of one that is switched off or has ended. */
export function demandOf(cluster: DaskCluster): Demand {
  if (!isCounted(cluster)) return NO_DEMAND;
  return demandWith(shapeOf(cluster), workersOf(cluster));
}

/** Whether the cluster has pods or is to have them. One that was switched off and on again is. */
export function isCounted(cluster: DaskCluster): boolean {
  return cluster.spec.active !== false && !isFinished(cluster);
}

/** Whether it is to get pods: not one that is being deleted, though it still has those it had. */
export function mayStart(cluster: DaskCluster): boolean {
  return isCounted(cluster) && cluster.metadata.deletionTimestamp === undefined;
}

export function shapeOf({ spec }: DaskCluster): Shape {
  if (formOf(spec) === 'gateway') {
    return {
      scheduler: gatewayRequest(spec.config, 'scheduler'),
      worker: gatewayRequest(spec.config, 'worker'),
    };
  }
  return {
    scheduler: podRequest(spec.scheduler?.template?.spec),
    worker: podRequest(spec.worker?.template?.spec),
  };
}

/** How many workers the manifest asks for; what is no number of workers asks for none. */
export function workersOf({ spec }: DaskCluster): number {
  const replicas: unknown = formOf(spec) === 'gateway' ? spec.replicas : spec.worker?.replicas;
  return Number.isInteger(replicas) ? Math.max(0, replicas as number) : 0;
}

/** @param workers a whole number, not negative */
export function demandWith({ scheduler, worker }: Shape, workers: number): Demand {
  const count = BigInt(workers);
  return {
    clusters: ONE,
    workers: (count * ONE) as NanoQuantity,
    cores: (scheduler.cores + count * worker.cores) as NanoQuantity,
    memoryBytes: (scheduler.memoryBytes + count * worker.memoryBytes) as NanoQuantity,
  };
}

function gatewayRequest(
  config: Readonly<Record<string, unknown>> = {},
  role: 'scheduler' | 'worker',
): PodRequest {
  return { cores: amount(config[`${role}_cores`]), memoryBytes: amount(config[`${role}_memory`]) };
}

function amount(value: unknown): NanoQuantity {
  const quantity = parseQuantity(value);
  return quantity === undefined || quantity < 0n ? ZERO : quantity;
}
