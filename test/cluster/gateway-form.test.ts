import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DASK_CLUSTERS, type DaskCluster } from '../../src/api/dask-cluster.ts';
import {
  MUTATING_WEBHOOKS,
  PODS,
  VALIDATING_WEBHOOKS,
  type KubeObject,
  type Resource,
} from '../../src/api/kubernetes.ts';
import { installCrd, Product } from '../../src/cli/demo/product.ts';
import { startControlPlane, type ControlPlane } from '../../src/control-plane/control-plane.ts';
import { ensureBinaries } from '../../src/control-plane/ensure-binaries.ts';
import { Watchdog } from '../../src/control-plane/watchdog.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { kubeconfigAccess } from '../../src/kube/kubeconfig.ts';
import { administrator, createNamespace, NAMESPACES } from '../support/admin.ts';
import { PROGRAM } from '../support/control-plane.setup.ts';
import { aGatewayCluster } from '../support/gateway-cluster.ts';
import { coreResource } from '../support/kube-client.ts';
import { LiveCluster, manifest } from '../support/live-cluster.ts';
import { poll } from '../support/poll.ts';
import { postDry } from './webhook-objects.ts';
import { SOON_MS } from '../support/soon.ts';

const ACCOUNT = 'system:serviceaccount:gateway:api';

/** Of what was started, in that order. */
const stops: (() => Promise<void>)[] = [];
let plane: ControlPlane;
let client: KubeClient;
/** dask-gateway's API server, as far as Kubernetes knows. */
let gateway: KubeClient;
let namespace: string;

beforeAll(async () => {
  const options = { report: () => undefined, signal: new AbortController().signal, env: process.env };
  const binaries = await ensureBinaries(options);
  plane = await startControlPlane({ ...options, binaries, scheduler: false, kwok: false });
  stops.push(() => plane.stop());
  const watchdog = await Watchdog.start();
  stops.push(() => watchdog.stop());
  const configuration = join(plane.directory, 'daskwarden.yaml');
  await writeFile(configuration, JSON.stringify({ gatewayForm: { accounts: [ACCOUNT], onInvalid: 'Fail' } }));
  const kubectl: typeof plane.kubectl = (args, more) => plane.kubectl(args, more);
  await installCrd({ kubectl });
  const flags = [`--config=${configuration}`];
  const product = await Product.start({
    kubectl,
    server: plane.server,
    caPem: plane.caPem,
    directory: plane.directory,
    watchdog,
    namespace: 'daskwarden-system',
    webhookHost: 'localhost',
    program: PROGRAM,
    flags: { webhook: ['--drain-seconds=0', ...flags], controller: flags },
  });
  stops.push(() => product.stop());
  client = await administrator(plane.kubeconfigPath);
  stops.push(() => client.close());
  const access = await kubeconfigAccess({ path: plane.kubeconfigPath });
  const credentials = async () => ({ ...(await access.credentials()), impersonateUser: ACCOUNT });
  gateway = new KubeClient({ access: { ...access, credentials }, version: 'test' });
  stops.push(() => gateway.close());
  await kubectl(['create', 'clusterrolebinding', 'api', '--clusterrole=cluster-admin', `--user=${ACCOUNT}`]);
  namespace = await createNamespace(client);
});

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

function gatewayCluster(name: string, config: object = {}): DaskCluster {
  const { metadata, ...cluster } = aGatewayCluster({ ...config });
  return { ...cluster, metadata: { name, ...(metadata.labels && { labels: metadata.labels }) } };
}

async function submitted(name: string, config: object, into = namespace): Promise<LiveCluster> {
  await gateway.create(DASK_CLUSTERS, { namespace: into }, gatewayCluster(name, config));
  return new LiveCluster(client, into, name);
}

describe("a cluster of dask-gateway's account", () => {
  const INVALID = {
    environment: { 'A=B': 'x', GOOD: 'y' },
    scheduler_extra_pod_labels: { team: 'not a label!' },
  };

  it('whose pods Kubernetes refuses ends as Failed, with the words of a denial', async () => {
    const { faults } = await postDry(client, namespace, gatewayCluster('faulty', INVALID));
    expect(faults.map((fault) => fault.slice(0, fault.indexOf(':')))).toEqual([
      'spec.config.scheduler_extra_pod_labels',
      'spec.config.environment[A=B]',
    ]);
    const faulty = await submitted('faulty', INVALID);
    const { status = {}, metadata } = await faulty.until('to fail', (one) => one.status?.phase === 'Failed');
    expect(status.message).toBe(faults.join('; '));
    const [createdAt, endedAt] = [metadata.creationTimestamp, status.completionTime].map((time) =>
      Date.parse(time ?? ''),
    );
    expect(endedAt! - createdAt!).toBeLessThan(SOON_MS);
    await faulty.untilStalled('InvalidSpec');
    await faulty.untilEvent('InvalidSpec');
    expect((await client.list(PODS, { namespace })).items, 'nothing is stored').toEqual([]);
  });

  it('that the namespace is too secure for ends as Failed too', async () => {
    const secure = await createNamespace(client);
    const labels = { 'pod-security.kubernetes.io/enforce': 'baseline' };
    await client.patch(NAMESPACES, { name: secure }, { type: 'merge', body: { metadata: { labels } } });
    const config = {
      worker_extra_pod_config: { hostNetwork: true, hostPID: true },
      worker_extra_container_config: { securityContext: { privileged: true } },
    };
    const faults = await poll(
      'admission to know the level',
      async () => (await postDry(client, secure, gatewayCluster('insecure', config))).faults,
      ({ length }) => length > 0,
    );
    const insecure = await submitted('insecure', config, secure);
    const { status } = await insecure.until('to fail', (one) => one.status?.phase === 'Failed');
    expect(status?.message).toBe(faults.join('; '));
  });

  it('that is valid, or that a quota keeps from its pods, is left to whoever runs it', async () => {
    const full = await createNamespace(client);
    const quota = { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } };
    await client.create<KubeObject>(
      coreResource('resourcequotas', 'ResourceQuota'),
      { namespace: full },
      quota,
    );
    await poll(
      'the quota to be in force',
      () => plane.kubectl(['run', 'p', '--image=none', '--dry-run=server', '-n', full]),
      ({ stderr }) => stderr.includes('exceeded quota'),
    );
    const left = [await submitted('valid', {}), await submitted('poor', {}, full)];
    // By then the controller has seen them: it takes what changes in its order.
    const later = await submitted('later', INVALID, full);
    await later.until('to fail', (one) => one.status?.phase === 'Failed');
    for (const cluster of left) expect((await cluster.get()).status, cluster.name).toBeUndefined();
  });
});

describe('a cluster of the template form that slipped in', () => {
  async function withoutRegistrations(meanwhile: () => Promise<void>): Promise<void> {
    const at = { name: 'daskwarden' };
    const kept: { readonly resource: Resource; readonly object: KubeObject }[] = [];
    for (const resource of [MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS]) {
      const { metadata, ...object } = await client.get(resource, at);
      kept.push({ resource, object: { ...object, metadata: { name: metadata.name ?? '' } } });
      await client.delete(resource, at);
    }
    try {
      await meanwhile();
    } finally {
      for (const { resource, object } of kept) await client.create(resource, {}, object);
    }
  }

  it('and whose pod Kubernetes refuses is told so in the words of a denial', async () => {
    const faulty = manifest({
      name: 'slipped',
      scheduler: {
        containers: [
          { name: 'dask-scheduler', image: 'i', volumeMounts: [{ name: 'lost', mountPath: '/lost' }] },
        ],
      },
    });
    const { faults } = await postDry(client, namespace, faulty);
    expect(faults).toEqual([
      'spec.scheduler.template.spec.containers[0].volumeMounts[0].name: Not found: "lost"',
    ]);
    await withoutRegistrations(async () => {
      const create = (): Promise<unknown> => client.create(DASK_CLUSTERS, { namespace }, faulty);
      await poll('it to slip in', create, () => true);
      const slipped = new LiveCluster(client, namespace, 'slipped');
      const { status } = await slipped.untilStalled('WriteRefused');
      expect(status?.message).toBe(faults.join('; '));
      expect((await slipped.untilEvent('WriteRefused')).map(({ note }) => note)).toContain(faults.join('; '));
    });
  });
});
