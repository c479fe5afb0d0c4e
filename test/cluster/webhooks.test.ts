import { readFile } from 'node:fs/promises';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { DASK_CLUSTERS, type DaskCluster } from '../../src/api/dask-cluster.ts';
import { type KubeObject, type Pod, PODS } from '../../src/api/kubernetes.ts';
import { adminClient, CONFIG_MAPS, configMap } from '../support/kube-client.ts';
import { kubectl, kubectlApply, kubectlGet, kubectlOk } from '../support/kubectl.ts';
import { freshNamespace } from '../support/namespaces.ts';
import { poll } from '../support/poll.ts';
import {
  cluster,
  controllerClient,
  IMAGE,
  refusalOf,
  RESERVED_VOLUME,
  workerPod,
} from './webhook-objects.ts';

describe('a DaskCluster', () => {
  it('is refused with one line of kubectl for each fault, at once and the same in a dry run', async () => {
    const namespace = await freshNamespace();
    const input = JSON.stringify(
      cluster({ worker: RESERVED_VOLUME, spec: { active: 'yes', lifecicle: {} } }),
    );
    for (const dryRun of [[], ['--dry-run=server']]) {
      const args = ['create', '--validate=false', '-n', namespace, '-f', '-', ...dryRun];
      const { code, stderr } = await kubectl(args, { input });
      expect(code).toBe(1);
      const [title, ...lines] = stderr.trim().split('\n');
      expect(title).toMatch(/^The DaskCluster "demo" is invalid:/);
      expect(lines.map((line) => /^\* ([^:]+): /.exec(line)?.[1])).toEqual([
        'spec.active',
        'spec.lifecicle',
        'spec.worker.template.spec.volumes[0].name',
      ]);
    }
  });

  it('is refused for an unknown field when the client asks for no strictness', async () => {
    const client = await adminClient();
    const namespace = await freshNamespace();
    const call = client.create(DASK_CLUSTERS, { namespace }, cluster({ spec: { wroker: {} } }));
    const error = await refusalOf(call);
    expect(error).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(error.details).toMatchObject({ kind: 'DaskCluster', causes: [{ field: 'spec.wroker' }] });
    expect(error.message).toContain('mutate.daskclusters.daskwarden.dev');
  });

  it('loses the nulls that an apply on the server would be refused for, and is otherwise as written', async () => {
    const client = await adminClient();
    const namespace = await freshNamespace();
    const written = cluster();
    const nulls = cluster({ worker: { tolerations: null, nodeName: null } });
    const { code, stderr } = await kubectlApply([nulls], ['--server-side', '-n', namespace]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const stored = await client.get<DaskCluster>(DASK_CLUSTERS, { namespace, name: 'demo' });
    expect(stored.spec).toEqual((written as DaskCluster).spec);
  });

  it('is the same after a second apply, and shows no difference', async () => {
    const namespace = await freshNamespace();
    const version = ['get', 'dgc', 'demo', '-n', namespace, '-o', 'jsonpath={.metadata.generation}'];
    await kubectlApply([cluster()], ['--server-side', '-n', namespace]);
    const { stdout } = await kubectlApply([cluster()], ['--server-side', '-n', namespace]);
    expect(stdout).toContain('serverside-applied');
    expect(await kubectlOk(version)).toBe('1');
    const args = ['diff', '--server-side', '-n', namespace, '-f', '-'];
    const diff = await kubectl(args, { input: JSON.stringify(cluster()) });
    expect({ code: diff.code, stdout: diff.stdout }).toEqual({ code: 0, stdout: '' });
  });

  it('is scaled, but not below nothing', async () => {
    const client = await adminClient();
    const namespace = await freshNamespace();
    await client.create(DASK_CLUSTERS, { namespace }, cluster());
    await kubectlOk(['scale', 'dgc', 'demo', '--replicas=3', '-n', namespace]);
    const at = { namespace, name: 'demo', subresource: 'scale' };
    const call = client.patch(DASK_CLUSTERS, at, { type: 'merge', body: { spec: { replicas: -1 } } });
    const error = await refusalOf(call);
    expect(error).toMatchObject({ code: 422, details: { causes: [{ field: 'spec.replicas' }] } });
    expect(error.message).toContain('Invalid value: -1: must be greater than or equal to 0');
    const stored = await client.get<DaskCluster>(DASK_CLUSTERS, { namespace, name: 'demo' });
    expect(stored.spec.worker?.replicas).toBe(3);
  });

  it('leaves a line in the log when it is refused, without anything of its content', async () => {
    const client = await adminClient();
    const namespace = await freshNamespace();
    const env = [{ name: 'PASSWORD', value: 'hunter2' }];
    const worker = { ...RESERVED_VOLUME, containers: [{ name: 'dask-worker', image: IMAGE, env }] };
    await refusalOf(client.create(DASK_CLUSTERS, { namespace }, cluster({ worker })));
    const log = await poll(
      'the denial in the log',
      () => readFile(inject('webhookLogPath'), 'utf8'),
      (text) => text.includes(namespace),
    );
    const line = log.split('\n').find((text) => text.includes(namespace)) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      decision: 'deny',
      rules: ['reserved-volume'],
      operation: 'CREATE',
      kind: 'DaskCluster',
      namespace,
      object: 'demo',
    });
    expect(log).not.toContain('hunter2');
  });
});

describe('a pod', () => {
  it("with a cluster's labels gets its credentials when the controller creates it", async () => {
    const namespace = await freshNamespace();
    const controller = await controllerClient();
    const { spec } = await controller.create(PODS, { namespace }, workerPod(namespace));
    expect(spec.volumes).toContainEqual({
      name: 'dask-credentials',
      secret: { secretName: 'dask-credentials-demo', defaultMode: 420 },
    });
    const [dask, sidecar] = spec.containers;
    expect(dask?.volumeMounts).toContainEqual({
      name: 'dask-credentials',
      mountPath: '/etc/dask-credentials',
      readOnly: true,
    });
    expect(dask?.env?.map(({ name }) => name)).toContain('DASK_DISTRIBUTED__COMM__TLS__CA_FILE');
    expect(sidecar?.env).toBeUndefined();
  });

  it('of anybody else may not pose as one', async () => {
    const admin = await adminClient();
    const namespace = await freshNamespace();
    const error = await refusalOf(admin.create(PODS, { namespace }, workerPod(namespace)));
    expect(error).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(error.message).toContain('only the controller may create a pod that is a scheduler or worker');
  });

  it('may not become one or cease to be one later, by no way of writing it', async () => {
    const admin = await adminClient();
    const namespace = await freshNamespace();
    const controller = await controllerClient();
    const worker = workerPod(namespace);
    await controller.create(PODS, { namespace }, worker);
    const other = { ...worker, metadata: { name: 'other', namespace } };
    await admin.create(PODS, { namespace }, other);
    const label = (name: string, labels: object, subresource?: string): Promise<Pod> =>
      admin.patch<Pod>(
        PODS,
        { namespace, name, subresource },
        { type: 'merge', body: { metadata: { labels } } },
      );
    const codes = await Promise.all(
      [
        label('other', worker.metadata.labels ?? {}),
        label('other', worker.metadata.labels ?? {}, 'status'),
        label('w-0', { 'gateway.dask.org/cluster': null }),
        label('w-0', { 'gateway.dask.org/cluster': 'else' }, 'status'),
      ].map(async (call) => (await refusalOf(call)).code),
    );
    expect(codes).toEqual([403, 403, 403, 403]);
    expect((await label('w-0', { team: 'a' })).metadata.labels).toMatchObject({ team: 'a' });
  });
});

describe('a registration for what the service does not judge', () => {
  it('fails with what the service says', async () => {
    const client = await adminClient();
    const namespace = await freshNamespace();
    const name = `wrong-${namespace}`;
    const registered = await kubectlGet<KubeObject & { readonly webhooks: readonly object[] }>([
      'validatingwebhookconfiguration',
      'daskwarden',
    ]);
    const { apiVersion, kind, webhooks = [] } = registered ?? {};
    const wrong = {
      ...webhooks.at(-1),
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
      matchConditions: [],
      objectSelector: {},
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    };
    await kubectlApply([{ apiVersion, kind, metadata: { name }, webhooks: [wrong] }], ['--server-side']);
    onTestFinished(async () => {
      await kubectlOk(['delete', 'validatingwebhookconfiguration', name]);
    });
    const create = (): Promise<KubeObject> =>
      client.create(CONFIG_MAPS, { namespace }, configMap(namespace, 'c'), { dryRun: true });
    // The API server learns of a registration by a watch.
    const error = await poll(
      'the wrong registration to be called',
      () => refusalOf(create()),
      () => true,
    );
    expect(error.message).toContain('request.kind: this path judges pods, not ConfigMap.');
  });
});
