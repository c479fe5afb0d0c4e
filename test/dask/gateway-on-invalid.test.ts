import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DASK_CLUSTERS, type DaskCluster } from '../../src/api/dask-cluster.ts';
import { EVENTS } from '../../src/api/kubernetes.ts';
import { Product } from '../../src/cli/demo/product.ts';
import { startControlPlane, type ControlPlane } from '../../src/control-plane/control-plane.ts';
import { ensureBinaries } from '../../src/control-plane/ensure-binaries.ts';
import { kubeconfig } from '../../src/control-plane/kubeconfig.ts';
import { Watchdog } from '../../src/control-plane/watchdog.ts';
import type { EventObject } from '../../src/kube/event.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { administrator } from '../support/admin.ts';
import { PROGRAM } from '../support/control-plane.setup.ts';
import { daskPython } from '../support/dask-python.ts';
import { GatewayServer } from '../support/gateway-server.ts';
import { poll } from '../support/poll.ts';
import { SOON_MS } from '../support/soon.ts';

const START_MS = 240_000;
const GATEWAY = 'gateway';
const SCIENCE = 'science';
const ACCOUNT = `system:serviceaccount:${GATEWAY}:api`;
const OVER_LIMIT = { worker_memory: 8 };
const FOREIGN_SECRET = { pull_secret: 'dask-credentials-of-somebody-else' };
const OVER_LIMIT_FINDING =
  'spec.config.worker_memory: Invalid value: "8589934592": must be less than or equal to the memory limit of 4294967296';

/** What Kubernetes alone knows to be wrong: the controller asks the API server. */
const NO_LABEL = { team: 'Earth and Sea' };
const NO_LABEL_FINDING =
  'spec.config.worker_extra_pod_labels: Invalid value: "Earth and Sea": a valid label must be';

/** What a person sees of a refused request; why is in the API server's log alone. */
const BARE_500 =
  'dask_gateway.client.GatewayServerError: 500 Internal Server Error\n\nServer got itself in trouble';

let unavailable: string | undefined;
/** Of what was started, in that order. */
const stops: (() => Promise<void>)[] = [];
let plane: ControlPlane;
let watchdog: Watchdog;
let product: Product;
let gateway: GatewayServer;
let client: KubeClient;
let configuration: string;

beforeAll(async () => {
  const python = await daskPython(process.env);
  if (!python.available) {
    unavailable = python.reason;
    return;
  }
  const options = { report: () => undefined, signal: new AbortController().signal, env: process.env };
  plane = await startControlPlane({
    ...options,
    binaries: await ensureBinaries(options),
    scheduler: false,
    kwok: false,
  });
  stops.push(() => plane.stop());
  watchdog = await Watchdog.start();
  stops.push(() => watchdog.stop());
  configuration = join(plane.directory, 'daskwarden.yaml');
  await configure('Fail');
  const flags = [`--config=${configuration}`];
  product = await Product.start({
    kubectl: (args, more) => plane.kubectl(args, more),
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
  gateway = await GatewayServer.start({
    bin: python.bin,
    kubeconfig: await gatewayAccount(),
    namespace: SCIENCE,
    directory: plane.directory,
    watchdog,
  });
  stops.push(() => gateway.stop());
}, START_MS);

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

beforeEach((context) => {
  if (unavailable !== undefined) context.skip(unavailable);
  context.onTestFailed(async () => {
    console.log(await gateway.log());
  });
});

describe('onInvalid: Fail', () => {
  test('a faulty option ends as a failed cluster, which says why', async () => {
    const valid = await gateway.call('submit');
    const seen = await gateway.call('new_cluster', OVER_LIMIT);
    expect(seen).toMatch(
      /^dask_gateway\.client\.GatewayClusterError: Cluster 'science\.[0-9a-f]{32}' failed to start, see logs for more information$/,
    );
    const name = /science\.([0-9a-f]{32})/.exec(seen)?.[1] ?? '';
    const { status = {}, metadata } = await clusterOf(name);
    expect(status).toMatchObject({ phase: 'Failed', form: 'gateway' });
    expect(status.message).toContain(OVER_LIMIT_FINDING);
    expect(status.conditions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: 'False', reason: 'InvalidSpec' }),
        expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'InvalidSpec' }),
      ]),
    );
    expect(secondsBetween(metadata.creationTimestamp, status.completionTime) * 1_000).toBeLessThan(SOON_MS);
    expect(await eventOf(name)).toMatchObject({ type: 'Warning', reason: 'InvalidSpec' });
    const other = await clusterOf(valid.replace(`${SCIENCE}.`, ''));
    expect(other.status, 'a valid one is left to whoever runs it').toBeUndefined();
  });

  test('an option that only Kubernetes refuses ends so too', async () => {
    const seen = await gateway.call('new_cluster', NO_LABEL);
    expect(seen).toContain('failed to start, see logs for more information');
    const { status = {}, metadata } = await clusterOf(/science\.([0-9a-f]{32})/.exec(seen)?.[1] ?? '');
    expect(status).toMatchObject({ phase: 'Failed', form: 'gateway' });
    expect(status.message).toContain(NO_LABEL_FINDING);
    expect(secondsBetween(metadata.creationTimestamp, status.completionTime) * 1_000).toBeLessThan(SOON_MS);
  });

  test("the credentials of another cluster are refused all the same, and dask-gateway's log says why", async () => {
    expect(await gateway.call('new_cluster', FOREIGN_SECRET)).toBe(BARE_500);
    expect(await gateway.log()).toContain(
      "spec.config.image_pull_secrets[0].name: Forbidden: Secrets named 'dask-credentials-…' hold the credentials of clusters",
    );
  });
});

describe('onInvalid: Deny', () => {
  beforeAll(async () => {
    if (unavailable !== undefined) return;
    await configure('Deny');
    product = await product.restart('webhook');
  });

  test.each([
    ['a rule', OVER_LIMIT, OVER_LIMIT_FINDING],
    ['Kubernetes', NO_LABEL, NO_LABEL_FINDING],
  ])(
    "an option that %s refuses is refused, and dask-gateway's log says why",
    async (_who, option, finding) => {
      const before = await countClusters();
      expect(await gateway.call('new_cluster', option)).toBe(BARE_500);
      expect(await gateway.log()).toContain(finding.replaceAll('"', '\\"'));
      expect(await countClusters()).toBe(before);
    },
  );
});

async function configure(onInvalid: 'Fail' | 'Deny'): Promise<void> {
  const policy = { gatewayForm: { accounts: [ACCOUNT], onInvalid } };
  await writeFile(configuration, JSON.stringify(policy));
}

/** dask-gateway's account with the rights that its chart gives it. @returns its kubeconfig */
async function gatewayAccount(): Promise<string> {
  const role = 'dask-gateway-api';
  const namespace = (name: string): object => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const items = [
    namespace(GATEWAY),
    namespace(SCIENCE),
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'api', namespace: GATEWAY } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: role },
      rules: [
        { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
        { apiGroups: ['gateway.dask.org'], resources: ['daskclusters'], verbs: ['*'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: role },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name: 'api', namespace: GATEWAY }],
    },
  ];
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectl(['apply', '-f', '-'], input);
  const token = (await kubectl(['create', 'token', 'api', '-n', GATEWAY])).trim();
  return kubeconfig({ server: plane.server, caPem: plane.caPem, user: 'api', token });
}

async function kubectl(args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await plane.kubectl(args, input === undefined ? {} : { input });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

function clusterOf(name: string): Promise<DaskCluster> {
  return client.get<DaskCluster>(DASK_CLUSTERS, { namespace: SCIENCE, name });
}

function secondsBetween(earlier: string | undefined, later: string | undefined): number {
  return (Date.parse(later ?? '') - Date.parse(earlier ?? '')) / 1_000;
}

async function eventOf(name: string): Promise<EventObject | undefined> {
  const look = async (): Promise<EventObject | undefined> => {
    const { items } = await client.list<EventObject>(EVENTS, { namespace: SCIENCE });
    return items.find(({ regarding }) => regarding.name === name);
  };
  return poll(`an Event about ${name}`, look, (event) => event !== undefined);
}

async function countClusters(): Promise<number> {
  const { items } = await client.list<DaskCluster>(DASK_CLUSTERS, { namespace: SCIENCE });
  return items.length;
}
