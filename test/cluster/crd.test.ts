import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { DASK_CLUSTERS, type DaskCluster } from '../../src/api/dask-cluster.ts';
import type { KubeObject, Resource } from '../../src/api/kubernetes.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { kubeconfigAccess } from '../../src/kube/kubeconfig.ts';
import { applyCrd, causesOf, crdInGroup, resourceInGroup } from '../support/crd-copy.ts';
import { kubectl, kubectlOk } from '../support/kubectl.ts';
import { freshNamespace } from '../support/namespaces.ts';

/** A copy of the definition: what these tests see is the schema's own doing, not the webhook's. */
const GROUP = 'schema.test.daskwarden.dev';
const COPY = resourceInGroup(GROUP);
const KIND = `daskclusters.${GROUP}`;
const apiVersion = `${GROUP}/v1alpha1`;

let client: KubeClient;
let clientSideApply: string;

beforeAll(async () => {
  client = new KubeClient({
    access: await kubeconfigAccess({ path: inject('kubeconfigPath'), env: {} }),
    version: 'test',
  });
  clientSideApply = await applyCrd(client, crdInGroup(GROUP), COPY);
});

afterAll(async () => {
  await kubectlOk(['delete', 'crd', KIND, '--wait=false']);
  await client.close();
});

const template = { spec: { containers: [{ name: 'dask', image: 'example.org/dask:1' }] } };

function cluster(spec: object, name = 'demo'): KubeObject & { readonly spec: object } {
  return { apiVersion, kind: 'DaskCluster', metadata: { name }, spec };
}

/** What the API server says to a POST that it only tries: its causes, or nothing. */
async function refusal(namespace: string, object: KubeObject): Promise<string[]> {
  return causesOf(client.create(COPY, { namespace }, object, { dryRun: true }));
}

/** What it says to a merge patch of the stored object. */
async function patched(
  namespace: string,
  name: string,
  body: object,
  subresource?: string,
): Promise<string[]> {
  return causesOf(client.patch(COPY, { namespace, name, subresource }, { type: 'merge', body }));
}

describe('the definition', () => {
  it('is applied by the client, which keeps all of it in an annotation', async () => {
    expect(clientSideApply).toContain(`${KIND} created`);
    const kept = await kubectlOk(['apply', 'view-last-applied', 'crd', KIND, '-o', 'json']);
    const bytes = Buffer.byteLength(JSON.stringify(JSON.parse(kept)));
    console.log(`the definition as compact JSON: ${bytes} bytes; an object's annotations may have 262144`);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(200_000);
  });

  it('is applied by the server', async () => {
    const input = JSON.stringify(crdInGroup(GROUP));
    const args = ['apply', '--server-side', '--force-conflicts', '-f', '-'];
    expect(await kubectlOk(args, { input })).toContain('serverside-applied');
  });

  it('has no fault that the API server sees', async () => {
    const conditions = await kubectlOk(['get', 'crd', KIND, '-o', 'jsonpath={.status.conditions[*].type}']);
    expect(conditions.split(' ').sort()).toEqual(['Established', 'NamesAccepted']);
  });

  it('explains its fields', async () => {
    const worker = await kubectlOk(['explain', 'daskcluster.spec.worker', `--api-version=${apiVersion}`]);
    expect(worker).toMatch(/replicas\s+<integer>\s+Number of workers \(template form\); absent means 0\./);
    const path = 'daskcluster.spec.worker.template.spec.containers.env.valueFrom';
    expect(await kubectlOk(['explain', path, `--api-version=${apiVersion}`])).toContain('secretKeyRef');
  });

  it('has a short name', async () => {
    const namespace = await freshNamespace();
    const { stderr } = await kubectl(['get', 'dgc', '-n', namespace]);
    expect(stderr).toContain('No resources found');
    expect(await kubectlOk(['api-resources', '--api-group=gateway.dask.org', '--no-headers'])).toMatch(
      /^daskclusters\s+dgc\s+gateway\.dask\.org\/v1alpha1\s+true\s+DaskCluster/,
    );
  });

  it('prints form, phase, workers, scheduler, reason and age', async () => {
    const namespace = await freshNamespace();
    await client.create(COPY, { namespace }, cluster({ config: {} }));
    const status = {
      phase: 'Running',
      form: 'gateway',
      schedulerPod: 'dask-scheduler-demo',
      workers: { running: 3 },
      conditions: [
        { type: 'Progressing', status: 'False', reason: 'Other' },
        { type: 'Ready', status: 'True', reason: 'AllRunning' },
      ],
    };
    expect(await patched(namespace, 'demo', { status }, 'status')).toEqual([]);
    const [header, row] = (await kubectlOk(['get', KIND, '-n', namespace])).trim().split('\n');
    expect(header?.split(/\s+/)).toEqual([
      ...['NAME', 'FORM', 'PHASE', 'WORKERS', 'SCHEDULER', 'REASON', 'AGE'],
    ]);
    expect(row?.split(/\s+/).slice(0, -1)).toEqual([
      ...['demo', 'gateway', 'Running', '3', 'dask-scheduler-demo', 'AllRunning'],
    ]);
  });
});

describe('what holds while the webhook is away', () => {
  const scheduler = { template };

  it.each<[string, object, string]>([
    ['neither form', {}, 'spec: Invalid value: exactly one of `scheduler` (template form'],
    [
      'both forms',
      { config: {}, scheduler },
      'spec: Invalid value: exactly one of `scheduler` (template form',
    ],
    [
      'workers in the gateway form',
      { config: {}, worker: { replicas: 1 } },
      'spec.worker: Forbidden: `worker` belongs to the template form',
    ],
    [
      'replicas in the wrong place',
      { scheduler, replicas: 1 },
      'spec.replicas: Forbidden: `replicas` belongs to the gateway form',
    ],
    [
      'workers of nothing',
      { scheduler, worker: { replicas: 1 } },
      'spec.worker.template: Required value: a pod template must be given',
    ],
    ['a scheduler of nothing', { scheduler: {} }, 'spec.scheduler.template: Required value'],
    [
      'workers that come back',
      { scheduler, worker: { template: { spec: { ...template.spec, restartPolicy: 'Always' } } } },
      "spec.worker.template.spec.restartPolicy: Invalid value: must be 'OnFailure' or 'Never'",
    ],
    [
      'fewer than no workers in the gateway form',
      { config: {}, replicas: -1 },
      'spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0',
    ],
    ['active as text', { config: {}, active: 'false' }, 'spec.active: Invalid value: "string"'],
    ['notes that are no text', { scheduler, info: { a: 1 } }, 'spec.info.a: Invalid value: "integer"'],
    ['an unknown kind of routes', { config: {}, routes: 'nginx' }, 'spec.routes: Unsupported value: "nginx"'],
  ])('%s', async (_, spec, message) => {
    expect(await refusal('default', cluster(spec))).toEqual([expect.stringContaining(message)]);
  });

  it('fewer than no workers in the template form', async () => {
    const told = await refusal('default', cluster({ scheduler, worker: { template, replicas: -1 } }));
    expect(told).toContainEqual(expect.stringMatching(/^spec\.worker\.replicas: Invalid value: -1/));
  });

  it('names that no Service can have', async () => {
    const named = (name: string): Promise<string[]> => refusal('default', cluster({ config: {} }, name));
    expect(await named('a.b')).toEqual([
      expect.stringMatching(/^metadata\.name: Invalid value: must consist of/),
    ]);
    expect(await named('a'.repeat(59))).toEqual([
      expect.stringMatching(/^metadata\.name: Invalid value: must be no more than 58 characters/),
    ]);
    expect(await named('a'.repeat(58))).toEqual([]);
    expect(await named('0123456789abcdef0123456789abcdef')).toEqual([]);
  });

  it('an update of what may not change', async () => {
    const namespace = await freshNamespace();
    const placement = { namespace: 'there', unheardOf: 1 };
    await client.create(COPY, { namespace }, cluster({ scheduler, placement, username: 'alice' }));
    const update = (spec: object): Promise<string[]> => patched(namespace, 'demo', { spec });
    expect(await update({ placement: { namespace: 'elsewhere' } })).toEqual([
      expect.stringMatching(/^spec\.placement: Invalid value: may not change once it is set/),
    ]);
    expect(await update({ placement: null })).toHaveLength(1);
    expect(await update({ username: 'bob' })).toEqual([
      expect.stringMatching(/^spec\.username: Invalid value: may not change once it is set/),
    ]);
    expect(await update({ scheduler: null, config: {} })).toEqual([
      expect.stringMatching(/^spec: Invalid value: the form of a cluster may not change/),
    ]);
    expect(await update({ active: false, worker: { template, replicas: 2 } })).toEqual([]);
  });

  it('a phase that dask-gateway does not know', async () => {
    const namespace = await freshNamespace();
    await client.create(COPY, { namespace }, cluster({ config: {} }));
    expect(await patched(namespace, 'demo', { status: { phase: 'Stalled' } }, 'status')).toEqual([
      expect.stringContaining('status.phase: Unsupported value: "Stalled"'),
    ]);
    const status = { phase: 'Stopped', completionTime: null, unheardOf: { a: 1 } };
    expect(await patched(namespace, 'demo', { status }, 'status')).toEqual([]);
    const stored = await client.get<DaskCluster>(COPY, { namespace, name: 'demo' });
    expect(stored.status).toEqual({ phase: 'Stopped', unheardOf: { a: 1 } });
  });
});

describe('kubectl scale', () => {
  it('scales the template form', async () => {
    const namespace = await freshNamespace();
    await client.create(COPY, { namespace }, cluster({ scheduler: { template }, worker: { template } }));
    await kubectlOk(['scale', `${KIND}/demo`, '--replicas=3', '-n', namespace]);
    const { spec } = await client.get<DaskCluster>(COPY, { namespace, name: 'demo' });
    expect(spec.worker).toEqual({ template, replicas: 3 });
  });

  it('is told by the gateway form who scales it', async () => {
    const namespace = await freshNamespace();
    await client.create(COPY, { namespace }, cluster({ config: {} }));
    const { code, stderr } = await kubectl(['scale', `${KIND}/demo`, '--replicas=3', '-n', namespace]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/spec\.worker: Forbidden: .* is scaled by dask-gateway: `cluster\.scale\(n\)`/);
    expect((await client.get<DaskCluster>(COPY, { namespace, name: 'demo' })).spec).toEqual({ config: {} });
  });
});

describe('nulls', () => {
  const pod = {
    containers: [
      { name: 'dask', image: 'x', env: null, args: ['a', null], resources: { limits: { cpu: null } } },
    ],
    nodeSelector: { zone: null },
    imagePullSecrets: [null],
    tolerations: null,
  };
  const kept = {
    containers: [{ name: 'dask', image: 'x', args: ['a', null], resources: { limits: { cpu: null } } }],
    nodeSelector: { zone: null },
    imagePullSecrets: [null],
  };
  const withPod = cluster({ scheduler: { template: { metadata: null, spec: pod } } });
  const stored = { scheduler: { template: { spec: kept } } };

  function apply(namespace: string, resource: Resource): Promise<DaskCluster> {
    const body = { ...withPod, apiVersion: `${resource.group}/v1alpha1` };
    const at = { namespace, name: 'demo' };
    return client.patch(resource, at, { type: 'apply', body }, { fieldManager: 'test', dryRun: true });
  }

  it('that mean something are stored, others are not', async () => {
    const namespace = await freshNamespace();
    const { spec } = await client.create<KubeObject, DaskCluster>(COPY, { namespace }, withPod);
    expect(spec).toEqual(stored);
  });

  it('would be refused in a server-side apply, and are not with the webhook', async () => {
    expect((await causesOf(apply('default', COPY))).map((line) => line.replace(/: .*/, '')).sort()).toEqual([
      'spec.scheduler.template.metadata',
      'spec.scheduler.template.spec.containers[0].env',
      'spec.scheduler.template.spec.tolerations',
    ]);
    expect((await apply('default', DASK_CLUSTERS)).spec).toEqual(stored);
  });
});
