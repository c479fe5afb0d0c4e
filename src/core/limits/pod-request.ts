import { parseQuantity, type NanoQuantity } from '../quantity.ts';
import { isObject, type JsonObject } from '../structure/json.ts';
import { ZERO } from './demand.ts';

/** What the scheduler sets aside for one pod. */
export interface PodRequest {
  readonly cores: NanoQuantity;
  readonly memoryBytes: NanoQuantity;
}

export const NO_REQUEST: PodRequest = { cores: ZERO, memoryBytes: ZERO };

/**
 * What a pod requests, by Kubernetes' own rule: its containers and sidecars together, or what starting takes where that
 * is more; then what is said of the pod as a whole, and its overhead. A limit without a request counts as the request.
 * Takes any spec: what is of another type than declared counts nothing.
 * Source of the rule: k8s.io/component-helpers/resource and the defaults of k8s.io/kubernetes/pkg/apis/core/v1.
 */
export function podRequest(spec: unknown): PodRequest {
  if (!isObject(spec)) return NO_REQUEST;
  return { cores: ofResource(spec, 'cpu'), memoryBytes: ofResource(spec, 'memory') };
}

function ofResource(spec: JsonObject, resource: string): NanoQuantity {
  const containers = aggregate(spec, resource);
  const { requests, limits } = partsOf(spec['resources']);
  const whole = amountIn(requests, resource) ?? containers ?? amountIn(limits, resource) ?? ZERO;
  return (whole + (amountIn(spec['overhead'], resource) ?? ZERO)) as NanoQuantity;
}

/** Undefined where no container says anything: only then does the pod's own limit stand for its request. */
function aggregate(spec: JsonObject, resource: string): NanoQuantity | undefined {
  const running = objectsIn(spec['containers']).map((container) => requestOf(container, resource));
  let total = sum(running);
  let sidecars = 0n;
  let starting = 0n;
  let isSaid = running.some((amount) => amount !== undefined);
  for (const container of objectsIn(spec['initContainers'])) {
    const own = requestOf(container, resource);
    isSaid ||= own !== undefined;
    const isSidecar = container['restartPolicy'] === 'Always';
    const meanwhile = sidecars + (own ?? 0n);
    if (isSidecar) {
      total += own ?? 0n;
      sidecars = meanwhile;
    }
    if (meanwhile > starting) starting = meanwhile;
  }
  return isSaid ? ((total > starting ? total : starting) as NanoQuantity) : undefined;
}

function requestOf(container: JsonObject, resource: string): NanoQuantity | undefined {
  const { requests, limits } = partsOf(container['resources']);
  return amountIn(requests, resource) ?? amountIn(limits, resource);
}

function partsOf(resources: unknown): { readonly requests: unknown; readonly limits: unknown } {
  return isObject(resources)
    ? { requests: resources['requests'], limits: resources['limits'] }
    : { requests: undefined, limits: undefined };
}

/** A negative amount, which Kubernetes refuses, makes no room for others. */
function amountIn(amounts: unknown, resource: string): NanoQuantity | undefined {
  if (!isObject(amounts) || !Object.hasOwn(amounts, resource)) return undefined;
  const amount = parseQuantity(amounts[resource]);
  return amount !== undefined && amount < 0n ? ZERO : amount;
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function sum(amounts: readonly (bigint | undefined)[]): bigint {
  return amounts.reduce<bigint>((total, amount) => total + (amount ?? 0n), 0n);
}
