import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { DASK_CLUSTERS } from '../../src/api/dask-cluster.ts';
import { PODS, type KubeObject, type Resource } from '../../src/api/kubernetes.ts';
import { judge } from '../../src/core/judge.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { ApiError } from '../../src/kube/errors.ts';
import { kubeconfigAccess } from '../../src/kube/kubeconfig.ts';
import { applyCrd, crdInGroup, resourceInGroup } from '../support/crd-copy.ts';
import { kubectlOk } from '../support/kubectl.ts';
import { freshNamespace } from '../support/namespaces.ts';
import { fieldsOfPod, fieldsReached, type OpenApi } from '../support/open-api.ts';
import { randomPod, type RandomPod } from '../support/random-pod.ts';
import { RUNTIME_CLASS, RUNTIME_OVERHEAD } from '../support/random-pod-values.ts';
import { withoutFaults } from '../support/repair.ts';

const WANTED = 2_000;
const SEED = 20_260_401;
/** How often the API server's causes are taken out of a pod before it is given up. */
const MOST_REPAIRS = 6;
const AT_ONCE = 8;
const GROUP = 'pods.test.daskwarden.dev';

/** Fields that no pod has when it is created. */
const OUT_OF_REACH = [
  // The API server: "cannot be set on create".
  /^EphemeralContainer\./,
  // The claim that a volume is made into has labels and annotations; all else is refused or is only null.
  /^(ObjectMeta|ManagedFieldsEntry|OwnerReference)\.(?!labels$|annotations$)/,
];

let client: KubeClient;

beforeAll(async () => {
  client = new KubeClient({
    access: await kubeconfigAccess({ path: inject('kubeconfigPath'), env: {} }),
    version: 'test',
  });
  const runtimeClass = {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: RUNTIME_CLASS },
    handler: 'none',
    overhead: { podFixed: RUNTIME_OVERHEAD },
  };
  await kubectlOk(['apply', '-f', '-'], { input: JSON.stringify(runtimeClass) });
  await applyCrd(client, crdInGroup(GROUP), resourceInGroup(GROUP));
});

afterAll(async () => {
  await kubectlOk(['delete', `runtimeclass/${RUNTIME_CLASS}`, `crd/daskclusters.${GROUP}`, '--wait=false']);
  await client.close();
});

/** Works off a list with some calls at once. */
async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const queue = items.entries();
  const results: R[] = [];
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

/** Where a template has none, the cluster's pods have another one than the Pod API's default. */
function withRestartPolicy(pod: RandomPod): RandomPod {
  return { ...pod, spec: { ...pod.spec, restartPolicy: pod.spec['restartPolicy'] ?? 'Never' } };
}

/** The pod as the API server admits it, without the parts that it does not; undefined where nothing helps. */
async function admitted(namespace: string, candidate: RandomPod): Promise<RandomPod | undefined> {
  let pod = candidate;
  for (let repairs = 0; repairs <= MOST_REPAIRS; repairs++) {
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      spec: pod.spec,
      metadata: { ...pod.metadata, name: 'p' },
    };
    try {
      await client.create(PODS, { namespace }, object, { dryRun: true });
      return pod;
    } catch (error) {
      const causes = error instanceof ApiError ? error.details?.causes : undefined;
      if (causes === undefined) return undefined;
      pod = withoutFaults(
        pod,
        causes.map(({ field = '' }) => field),
      );
    }
  }
  return undefined;
}

/** Two pods, or one, as a cluster. A worker may not restart for ever: that is the product's own rule. */
function clustersOf(pods: readonly RandomPod[]): KubeObject[] {
  const workers = pods.filter(mayWork).slice(0, pods.length / 2);
  const schedulers = pods.filter((pod) => !workers.includes(pod));
  return schedulers.map((scheduler, index) => clusterOf(`random-${index}`, scheduler, workers[index]));
}

function mayWork(pod: RandomPod): boolean {
  const { findings } = judge({ object: clusterOf('a', pod, pod) });
  return !findings.some(({ rule, level }) => rule === 'restart-policy' && level === 'error');
}

function clusterOf(name: string, scheduler: RandomPod, worker?: RandomPod): KubeObject & { spec: object } {
  return {
    kind: 'DaskCluster',
    metadata: { name },
    spec: {
      scheduler: { template: templateOf(scheduler, 'dask-scheduler') },
      ...(worker && { worker: { replicas: 1, template: templateOf(worker, 'dask-worker') } }),
    },
  };
}

/** The first container is the one that runs Dask. */
function templateOf(pod: RandomPod, container: string): unknown {
  const [first] = pod.spec['containers'] as readonly [{ readonly name: string }];
  const rename = (_: string, value: unknown): unknown => (value === first.name ? container : value);
  return JSON.parse(JSON.stringify(pod), rename);
}

async function refusals(
  clusters: readonly KubeObject[],
  resource: Resource,
  send: (object: KubeObject) => Promise<unknown>,
): Promise<string[]> {
  const apiVersion = `${resource.group}/${resource.version}`;
  const told = await each(clusters, async (cluster) => {
    const object = { apiVersion, ...cluster };
    try {
      await send(object);
      return undefined;
    } catch (error) {
      return `${String(error)}\n${JSON.stringify(object)}`;
    }
  });
  // A few say it all; each of them is a whole cluster.
  return told.filter((text) => text !== undefined).slice(0, 3);
}

it(`admits ${WANTED} random pods that the Pod API admits`, async () => {
  const namespace = await freshNamespace();
  const openApi = JSON.parse(await client.request('GET', '/openapi/v3/api/v1')) as OpenApi;
  const candidates = fc
    .sample(randomPod(openApi), { seed: SEED, numRuns: WANTED * 1.1 })
    .map(withRestartPolicy);
  const pods = (await each(candidates, (candidate) => admitted(namespace, candidate)))
    .filter((pod) => pod !== undefined)
    .slice(0, WANTED);
  expect(pods).toHaveLength(WANTED);

  const reached = new Set(pods.flatMap(({ spec }) => [...fieldsReached(openApi, spec)]));
  const missed = [...fieldsOfPod(openApi)].filter((field) => !reached.has(field));
  console.log(`${WANTED} pods with ${reached.size} different fields`);
  expect(missed.filter((field) => !OUT_OF_REACH.some((pattern) => pattern.test(field)))).toEqual([]);

  const clusters = clustersOf(pods);
  const copy = resourceInGroup(GROUP);
  const post = (object: KubeObject): Promise<unknown> =>
    client.create(copy, { namespace }, object, { dryRun: true });
  expect(await refusals(clusters, copy, post), 'POST, by the schema alone').toEqual([]);
  const apply = (object: KubeObject): Promise<unknown> =>
    client.patch(
      DASK_CLUSTERS,
      { namespace, name: object.metadata.name ?? '' },
      { type: 'apply', body: object },
      { fieldManager: 'test', dryRun: true },
    );
  // The webhook takes the nulls out that the schema would refuse.
  expect(await refusals(clusters, DASK_CLUSTERS, apply), 'server-side apply').toEqual([]);
}, 180_000);
