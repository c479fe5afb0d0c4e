import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { DASK_CLUSTERS, type DaskCluster } from '../../src/api/dask-cluster.ts';
import type { KubeObject } from '../../src/api/kubernetes.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { kubeconfigAccess } from '../../src/kube/kubeconfig.ts';
import { applyCrd, causesOf, crdInGroup, resourceInGroup } from '../support/crd-copy.ts';
import { kubectlOk } from '../support/kubectl.ts';
import { freshNamespace } from '../support/namespaces.ts';

const GROUP = 'gateway.test.daskwarden.dev';
const COPY = resourceInGroup(GROUP);

let client: KubeClient;

beforeAll(async () => {
  client = new KubeClient({
    access: await kubeconfigAccess({ path: inject('kubeconfigPath'), env: {} }),
    version: 'test',
  });
  await applyCrd(client, crdInGroup(GROUP), COPY);
});

afterAll(async () => {
  await kubectlOk(['delete', 'crd', `daskclusters.${GROUP}`, '--wait=false']);
  await client.close();
});

/** What dask-gateway's API server posts with its default configuration, and the free parts filled. */
function postedByGateway(name: string, group: string): KubeObject & { readonly spec: object } {
  const pod = (role: string): object => ({
    [`${role}_cores`]: 1.0,
    [`${role}_cores_limit`]: 1.5,
    [`${role}_memory`]: 2147483648,
    [`${role}_memory_limit`]: 2147483648,
    [`${role}_extra_container_config`]: { envFrom: [{ secretRef: { name: 'a' } }], resources: null },
    [`${role}_extra_pod_config`]: { tolerations: [{ key: 'spot', operator: 'Exists' }], nodeSelector: null },
    [`${role}_extra_pod_annotations`]: { a: 'b', c: null },
    [`${role}_extra_pod_labels`]: {},
  });
  const config = {
    namespace: 'default',
    image: 'daskgateway/dask-gateway:latest',
    image_pull_policy: null,
    image_pull_secrets: [{ name: 'registry' }, null],
    environment: { A: '1', B: '2', C: null },
    scheduler_cmd: ['dask-scheduler'],
    worker_cmd: ['dask-worker', null],
    worker_threads: 1,
    adaptive_period: 3.5,
    idle_timeout: 0.0,
    cluster_max_cores: null,
    cluster_max_memory: null,
    cluster_max_workers: null,
    ...pod('scheduler'),
    ...pod('worker'),
  };
  expect(Object.keys(config)).toHaveLength(29);
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: 'DaskCluster',
    metadata: {
      name,
      labels: {
        'app.kubernetes.io/name': 'dask-gateway',
        'app.kubernetes.io/version': '2026.3.0',
        'gateway.dask.org/instance': 'default-gateway',
        'gateway.dask.org/cluster': name,
      },
      annotations: {},
    },
    spec: {
      username: 'alice@non-alpha.characters',
      options: { image: 'x', nested: { list: [1, null, 'a'], nothing: null }, big: 9007199254740991 },
      config: { ...config, site_extension: { anything: [null] } },
    },
  };
}

describe("dask-gateway's API server", () => {
  const name = '3f8a5e2b9c4d4f1e8a7b6c5d4e3f2a1b';

  it.each([COPY, DASK_CLUSTERS])('finds what it posted value for value in $group', async (resource) => {
    const namespace = await freshNamespace();
    const posted = postedByGateway(name, resource.group);
    await client.create(resource, { namespace }, posted);
    const stored = await client.get<DaskCluster>(resource, { namespace, name });
    expect(stored.spec).toEqual(posted.spec);
    expect(stored.metadata.labels).toEqual(posted.metadata.labels);
  });

  it('scales with its heartbeat, and stops', async () => {
    const namespace = await freshNamespace();
    await client.create(COPY, { namespace }, postedByGateway(name, GROUP));
    for (const [path, value] of [
      ['/spec/replicas', 4],
      ['/spec/active', false],
    ] as const) {
      const operations = [{ op: 'add', path, value }] as const;
      await client.patch(COPY, { namespace, name }, { type: 'json', operations });
    }
    const { spec } = await client.get<DaskCluster>(COPY, { namespace, name });
    expect([spec.replicas, spec.active]).toEqual([4, false]);
  });
});

it("takes over the objects of dask-gateway's definition, unsound as they may be", async () => {
  const group = 'upgrade.test.daskwarden.dev';
  const resource = resourceInGroup(group);
  const definition = crdInGroup(group);
  const [version] = definition.spec.versions;
  const untyped = {
    name: version.name,
    served: true,
    storage: true,
    subresources: { status: {} },
    schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  };
  const before = { ...definition, spec: { ...definition.spec, versions: [untyped] } };
  const crd = `daskclusters.${group}`;
  const namespace = await freshNamespace();
  const name = 'dotted.name';
  await applyCrd(client, before, resource);
  try {
    const broken = {
      apiVersion: `${group}/v1alpha1`,
      kind: 'DaskCluster',
      metadata: { name, finalizers: ['example.org/held'] },
      spec: { username: 'a', active: 'yes', replicas: -3, config: { worker_memory: '2G' } },
    };
    await client.create(resource, { namespace }, broken);
    await kubectlOk(['apply', '-f', '-'], { input: JSON.stringify(definition) });
    // The new schema counts as soon as a new object is judged by it.
    await expect
      .poll(
        () =>
          causesOf(
            client.create(
              resource,
              { namespace },
              { ...broken, metadata: { name: 'new' } },
              { dryRun: true },
            ),
          ),
        {
          timeout: 15_000,
        },
      )
      .not.toEqual([]);
    const change = (body: object, subresource?: string): Promise<string[]> =>
      causesOf(client.patch(resource, { namespace, name, subresource }, { type: 'merge', body }));
    expect(await change({ metadata: { labels: { a: 'b' } } })).toEqual([]);
    expect(await change({ status: { phase: 'Failed' } }, 'status')).toEqual([]);
    expect(await change({ spec: { routes: 'nginx' } })).not.toEqual([]);
    await client.delete(resource, { namespace, name });
    expect(await change({ metadata: { finalizers: null } })).toEqual([]);
    expect(await kubectlOk(['get', crd, '-n', namespace, '-o', 'name'])).toBe('');
  } finally {
    await kubectlOk(['delete', 'crd', crd, '--wait=false']);
  }
});
