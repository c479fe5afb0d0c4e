import type { NanoQuantity } from '../quantity.ts';

/** What is limited; also the names of the limits in the configuration. */
export const MEASURES = ['clusters', 'workers', 'cores', 'memoryBytes'] as const;
export type Measure = (typeof MEASURES)[number];

/** How much of each measure, in billionths of a cluster, worker, core or byte: exact, as Kubernetes counts. */
export type Demand = Readonly<Record<Measure, NanoQuantity>>;

export const ZERO = 0n as NanoQuantity;
export const ONE = 1_000_000_000n as NanoQuantity;
export const NO_DEMAND: Demand = { clusters: ZERO, workers: ZERO, cores: ZERO, memoryBytes: ZERO };

export function plus(one: Demand, other: Demand): Demand {
  return combine(one, other, (a, b) => a + b);
}

export function minus(one: Demand, other: Demand): Demand {
  return combine(one, other, (a, b) => a - b);
}

/** Of each measure the larger. */
export function larger(one: Demand, other: Demand): Demand {
  return combine(one, other, (a, b) => (a > b ? a : b));
}

export function isNothing(demand: Demand): boolean {
  return MEASURES.every((measure) => demand[measure] === ZERO);
}

function combine(one: Demand, other: Demand, of: (a: bigint, b: bigint) => bigint): Demand {
  return {
    clusters: of(one.clusters, other.clusters) as NanoQuantity,
    workers: of(one.workers, other.workers) as NanoQuantity,
    cores: of(one.cores, other.cores) as NanoQuantity,
    memoryBytes: of(one.memoryBytes, other.memoryBytes) as NanoQuantity,
  };
}
