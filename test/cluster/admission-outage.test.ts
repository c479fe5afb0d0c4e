import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DASK_CLUSTERS, type DaskCluster } from '../../src/api/dask-cluster.ts';
import { PODS } from '../../src/api/kubernetes.ts';
import { installCrd, Product } from '../../src/cli/demo/product.ts';
import { type ControlPlane, startControlPlane } from '../../src/control-plane/control-plane.ts';
import { ensureBinaries } from '../../src/control-plane/ensure-binaries.ts';
import { Watchdog } from '../../src/control-plane/watchdog.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { administrator, createNamespace } from '../support/admin.ts';
import { PROGRAM } from '../support/control-plane.setup.ts';
import { CONFIG_MAPS, configMap, unschedulablePod } from '../support/kube-client.ts';
import { cluster, refusalOf, workerPod } from './webhook-objects.ts';

const FINALIZER = 'test.daskwarden.dev/hold';
/** What a rule refuses, and the schema does not. */
const RESERVED = [{ name: 'dask-credentials', emptyDir: {} }];
const WARNING =
  'spec.worker.template.spec.volumes[0].name: Invalid value: "dask-credentials": ' +
  "this volume is added by daskwarden from the Secret 'dask-credentials-kept'; choose another name";

const stack = new AsyncDisposableStack();
let plane: ControlPlane;
let product: Product;
let client: KubeClient;
let namespace: string;

// A control plane of its own: the webhook of the run's must not be killed.
beforeAll(async () => {
  const options = { report: () => undefined, signal: new AbortController().signal, env: process.env };
  plane = await startControlPlane({
    ...options,
    binaries: await ensureBinaries(options),
    scheduler: false,
    kwok: false,
  });
  stack.use(plane);
  const watchdog = await Watchdog.start();
  stack.defer(() => watchdog.stop());
  const kubectl: ControlPlane['kubectl'] = (args, call) => plane.kubectl(args, call);
  await installCrd({ kubectl });
  client = await administrator(plane.kubeconfigPath);
  stack.defer(() => client.close());
  namespace = await createNamespace(client);
  for (const name of ['kept', 'held', 'scaled', 'stopped']) {
    const bad = cluster({ worker: { volumes: RESERVED }, spec: { active: true } });
    const metadata = { name, finalizers: [FINALIZER] };
    await client.create(DASK_CLUSTERS, { namespace }, { ...bad, metadata });
  }
  product = await Product.start({
    kubectl,
    server: plane.server,
    caPem: plane.caPem,
    directory: plane.directory,
    watchdog,
    namespace: 'daskwarden-system',
    webhookHost: 'localhost',
    program: PROGRAM,
    flags: { webhook: ['--drain-seconds=0'] },
  });
  stack.defer(() => product.stop());
});

afterAll(() => stack.disposeAsync());

function merge(name: string, body: object, subresource?: string): Promise<DaskCluster> {
  return client.patch(DASK_CLUSTERS, { namespace, name, subresource }, { type: 'merge', body });
}

describe('an object that was stored before there was a webhook', () => {
  it('may be labelled, annotated and stopped, and is warned of', async () => {
    await merge('kept', { metadata: { labels: { team: 'a' }, annotations: { note: 'b' } } });
    const args = ['label', 'dgc', 'kept', '-n', namespace, 'again=yes'];
    const { code, stderr } = await plane.kubectl(args);
    expect({ code, told: stderr.replace(/\nWarning: …/g, '') }).toEqual({
      code: 0,
      told: `Warning: ${WARNING}\n`,
    });
    expect((await merge('stopped', { spec: { active: false } })).spec.active).toBe(false);
  });

  it('may be scaled', async () => {
    expect((await merge('scaled', { spec: { worker: { replicas: 3 } } })).spec.worker?.replicas).toBe(3);
    await plane.kubectl(['scale', 'dgc', 'scaled', '--replicas=0', '-n', namespace]);
    const { spec } = await client.get<DaskCluster>(DASK_CLUSTERS, { namespace, name: 'scaled' });
    expect(spec.worker?.replicas).toBe(0);
  });

  it('may not get worse', async () => {
    const scheduler = { template: { spec: { volumes: RESERVED } } };
    const { code, details } = await refusalOf(merge('kept', { spec: { scheduler } }));
    expect(code).toBe(422);
    expect(details?.causes?.map(({ field }) => field)).toEqual([
      'spec.scheduler.template.spec.volumes[0].name',
    ]);
  });

  it('may be put right, and not wrong again', async () => {
    const withVolumes = (volumes: readonly object[]): object => ({
      spec: { worker: { template: { spec: { volumes } } } },
    });
    await merge('kept', withVolumes([{ name: 'data', emptyDir: {} }]));
    const { details } = await refusalOf(merge('kept', withVolumes(RESERVED)));
    expect(details?.causes?.map(({ field }) => field)).toEqual(['spec.worker.template.spec.volumes[0].name']);
  });

  it('can be finalized and is gone', async () => {
    const at = { namespace, name: 'held' };
    await client.delete(DASK_CLUSTERS, at);
    expect((await client.get(DASK_CLUSTERS, at)).metadata.deletionTimestamp).toBeDefined();
    await merge('held', { metadata: { finalizers: null } });
    expect((await refusalOf(client.get(DASK_CLUSTERS, at))).code).toBe(404);
  });
});

describe('the webhook is killed', () => {
  it('and new clusters and cluster pods wait for it, but nobody else', async () => {
    process.kill(product.processes.webhook.process.pid, 'SIGKILL');
    await product.processes.webhook.process.ended;

    const cases = [
      [() => client.create(DASK_CLUSTERS, { namespace }, cluster()), 'validate.daskclusters.daskwarden.dev'],
      [() => client.create(PODS, { namespace }, workerPod(namespace)), 'inject.pods.daskwarden.dev'],
    ] as const;
    for (const [call, webhook] of cases) {
      const error = await refusalOf(call());
      expect(error).toMatchObject({ code: 500, reason: 'InternalError' });
      expect(error.message).toContain(`failed calling webhook "${webhook}"`);
      // A pooled connection to the dead process may be tried before a new one.
      expect(error.message).toMatch(/connection refused|EOF|connection reset/);
    }
    await client.create(PODS, { namespace }, unschedulablePod(namespace, 'other'));
    await client.create(CONFIG_MAPS, { namespace }, configMap(namespace, 'other'));
    await client.delete(PODS, { namespace, name: 'other' }, { gracePeriodSeconds: 0 });

    product = await product.restart('webhook');
    await client.create(DASK_CLUSTERS, { namespace }, cluster());
    expect((await refusalOf(client.create(PODS, { namespace }, workerPod(namespace)))).code).toBe(403);
  });
});
