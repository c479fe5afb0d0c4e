import { randomUUID } from 'node:crypto';
import { DASK_CLUSTERS } from '../../../src/api/dask-cluster.ts';
import type { KubeObject } from '../../../src/api/kubernetes.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { spreadOf, spreadText } from '../statistics.ts';
import type { Ratio } from './direct.ts';
import { clusterText } from './reviews.ts';

const CREATES = 1_000;
const CONNECTIONS = 16;
const BODY_BYTES = 1_000;

/** A way in which the API server is set up. */
export interface Setting {
  readonly name: string;
  readonly apply: () => Promise<void>;
}

/** Creates per second through a real API server: none, ours and the baseline registered at both paths, in turns. */
export async function compareThroughApiServer(
  settings: { readonly none: Setting; readonly ours: Setting; readonly baseline: Setting },
  { client, rounds }: { readonly client: KubeClient; readonly rounds: number },
): Promise<readonly Ratio[]> {
  const rates: Record<keyof typeof settings, number[]> = { none: [], ours: [], baseline: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const key of ['none', 'baseline', 'ours'] as const) {
      await settings[key].apply();
      rates[key].push(await createClusters(client));
    }
  }
  console.log(`\n${String(CREATES)} creates through the API server, ${String(CONNECTIONS)} at a time`);
  for (const key of ['none', 'baseline', 'ours'] as const) {
    console.log(`  ${settings[key].name}: ${spreadText(spreadOf(rates[key]))} creates/s`);
  }
  const median = (key: keyof typeof settings): number => spreadOf(rates[key]).median;
  return [
    {
      name: 'creates/s through the API server, ours to baseline',
      value: median('ours') / median('baseline'),
      bound: { atLeast: 0.9 },
    },
    {
      name: 'creates/s through the API server, ours to none',
      value: median('ours') / median('none'),
      bound: { atLeast: 0 },
    },
  ];
}

/** @returns how many of them were created each second */
export async function createClusters(client: KubeClient): Promise<number> {
  const namespace = `bench-${randomUUID().slice(0, 8)}`;
  await client.create(
    { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false },
    {},
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  );
  const bodies = Array.from({ length: CREATES }, (_, index) => clusterOf(namespace, index));
  const startedAt = performance.now();
  const work = bodies.values();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (const body of work) await client.create(DASK_CLUSTERS, { namespace }, body);
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  return CREATES / seconds;
}

function clusterOf(namespace: string, index: number): KubeObject {
  const cluster = JSON.parse(clusterText(String(index), 0, BODY_BYTES)) as KubeObject;
  const { name } = cluster.metadata;
  return { ...cluster, metadata: { ...(name !== undefined && { name }), namespace } };
}
