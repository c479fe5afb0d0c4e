import fc, { type Arbitrary } from 'fast-check';
import { mutate, randomMutations } from './mutation.ts';
import type { OpenApi } from '../support/open-api.ts';
import { askOracle, pathsOf } from '../support/oracle.ts';
import { randomPod, type RandomPod } from '../support/random-pod.ts';
import { withoutFaults } from '../support/repair.ts';

/** A DaskCluster in the template form, as JSON. */
export interface RandomManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly scheduler: { template: unknown }; readonly worker: { template: unknown } };
}

/** How often what the oracle names is taken out of a manifest before it is taken as it is. */
const MOST_REPAIRS = 5;

/**
 * DaskClusters whose templates reach every field of a pod, nearly all of them legal until three of four are changed at
 * one to three places.
 */
export async function randomManifests(
  openApi: OpenApi,
  { seed, count }: { readonly seed: number; readonly count: number },
): Promise<readonly RandomManifest[]> {
  const legal = await repaired(fc.sample(pairOf(openApi), { seed, numRuns: count }));
  const mutations = fc.sample(randomMutations, { seed, numRuns: count });
  return legal.map((manifest, index) => {
    const copy = structuredClone(manifest);
    for (const mutation of mutations[index] ?? [])
      mutate([copy.spec.scheduler.template, copy.spec.worker.template], mutation);
    return copy;
  });
}

function pairOf(openApi: OpenApi): Arbitrary<RandomManifest> {
  const pod = randomPod(openApi);
  return fc.record({ scheduler: pod, worker: pod }).map(({ scheduler, worker }) => ({
    apiVersion: 'gateway.dask.org/v1alpha1',
    kind: 'DaskCluster',
    metadata: { name: 'random', namespace: 'default' },
    spec: {
      scheduler: { template: templateOf(scheduler, 'dask-scheduler') },
      worker: { template: templateOf(worker, 'dask-worker') },
    },
  }));
}

/** Without the parts that Kubernetes would refuse: a change then stands for itself. */
async function repaired(manifests: readonly RandomManifest[]): Promise<readonly RandomManifest[]> {
  let current = manifests;
  for (let round = 0; round < MOST_REPAIRS; round++) {
    const verdicts = await askOracle(current);
    if (verdicts.every(({ allowed }) => allowed)) break;
    current = current.map((manifest, index) => repairedBy(manifest, pathsOf(verdicts[index]?.errors)));
  }
  return current;
}

function repairedBy(manifest: RandomManifest, paths: readonly string[]): RandomManifest {
  const part = (role: 'scheduler' | 'worker'): { template: unknown } => {
    const prefix = `spec.${role}.template.`;
    const own = paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
    return { template: withoutFaults(manifest.spec[role].template as object, own) };
  };
  return { ...manifest, spec: { scheduler: part('scheduler'), worker: part('worker') } };
}

/** The first container is the one that runs Dask. Workers that restart for ever are refused by a rule of ours. */
function templateOf({ metadata, spec }: RandomPod, container: string): unknown {
  const [first] = spec['containers'] as readonly [{ readonly name: string }];
  const rename = (key: string, value: unknown): unknown => {
    if (key === 'restartPolicy' && value === 'Always' && container === 'dask-worker') return undefined;
    if (key === 'restartPolicyRules' && container === 'dask-worker') return undefined;
    return value === first.name ? container : value;
  };
  return JSON.parse(JSON.stringify({ metadata, spec }), rename) as unknown;
}
