import { randomBytes } from 'node:crypto';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DASK_CLUSTERS } from '../../src/api/dask-cluster.ts';
import {
  type KubeObject,
  MUTATING_WEBHOOKS,
  type Secret,
  SECRETS,
  VALIDATING_WEBHOOKS,
} from '../../src/api/kubernetes.ts';
import { WEBHOOK_AUTHORITY_SECRET, WEBHOOK_CONFIGURATION } from '../../src/api/names.ts';
import { installCrd } from '../../src/cli/demo/product.ts';
import { type ControlPlane, startControlPlane } from '../../src/control-plane/control-plane.ts';
import { ensureBinaries } from '../../src/control-plane/ensure-binaries.ts';
import { Watchdog } from '../../src/control-plane/watchdog.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { kubeconfigAccess } from '../../src/kube/kubeconfig.ts';
import { createAuthority } from '../../src/pki/authority.ts';
import { AdmissionLoad } from '../support/admission-load.ts';
import { createNamespace } from '../support/admin.ts';
import { poll } from '../support/poll.ts';
import { ReplicatedWebhook } from '../support/replicated-webhook.ts';
import { cluster } from '../cluster/webhook-objects.ts';

const DAY_MS = 86_400_000;
const CONNECTIONS = 16;
/** `DASKWARDEN_ENDURANCE=10000` for the number that is promised. */
const ADMISSIONS = Number(process.env['DASKWARDEN_ENDURANCE'] ?? 1_500);
const ENDURES = ADMISSIONS > 1_500;
const DRAIN_SECONDS = ENDURES ? 5 : 2;
const SETTLE_SECONDS = ENDURES ? 30 : 8;
const SECRET_AT = { namespace: ReplicatedWebhook.namespace, name: WEBHOOK_AUTHORITY_SECRET };

const stack = new AsyncDisposableStack();
let product: ReplicatedWebhook;
let client: KubeClient;
let namespace: string;
let oldAuthority: string;

beforeAll(async () => {
  const options = { report: () => undefined, signal: new AbortController().signal, env: process.env };
  const binaries = await ensureBinaries(options);
  const plane = await startControlPlane({ ...options, binaries, scheduler: false, kwok: false });
  stack.use(plane);
  const watchdog = await Watchdog.start();
  stack.defer(() => watchdog.stop());
  const kubectl: ControlPlane['kubectl'] = (args, call) => plane.kubectl(args, call);
  await installCrd({ kubectl });
  const access = await kubeconfigAccess({ path: plane.kubeconfigPath });
  client = new KubeClient({ access, version: 'test', connections: CONNECTIONS });
  stack.defer(() => client.close());
  namespace = await createNamespace(client);
  product = await ReplicatedWebhook.install(plane, watchdog, {
    webhook: [`--drain-seconds=${DRAIN_SECONDS}`],
    controller: [`--webhook-ca-settle-seconds=${SETTLE_SECONDS}`],
  });
  stack.defer(() => product.stop());
  oldAuthority = await storeAgedAuthority();
  await product.startController();
  await Promise.all([product.addReplica(), product.addReplica()]);
  // The API server learns of a registration by a watch.
  await poll(
    'the webhook to be called',
    () => client.create(DASK_CLUSTERS, { namespace }, named('probe'), { dryRun: true }),
    () => true,
  );
});

afterAll(() => stack.disposeAsync());

/** One of which two thirds of its life are over: the controller begins a rotation as soon as it sees it. */
async function storeAgedAuthority(): Promise<string> {
  const aged = await createAuthority({ nowMs: Date.now() - 250 * DAY_MS, randomBytes });
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: SECRET_AT,
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': base64(aged.certificatePem), 'tls.key': base64(aged.privateKeyPem) },
  };
  await client.create(SECRETS, { namespace: SECRET_AT.namespace }, secret);
  return aged.certificatePem;
}

function named(name: string): KubeObject {
  return { ...cluster(), metadata: { name } };
}

/** Admissions at full rate until the test stops them. */
function load(): AdmissionLoad {
  const running = new AdmissionLoad(client, namespace, named, CONNECTIONS);
  onTestFinished(() => running.stop());
  return running;
}

function untilAdmitted(running: AdmissionLoad, number: number): Promise<number> {
  const timeoutMs = 1_000 + number * 20;
  const look = (): Promise<number> => Promise.resolve(running.admitted);
  return poll(`${number} admissions`, look, (admitted) => admitted >= number, { timeoutMs });
}

/** How many calls of the mutating webhook failed, which is no failure of the request. */
async function failedOpen(): Promise<number> {
  const metrics = await client.request('GET', '/metrics');
  const counts = metrics.matchAll(/^apiserver_admission_webhook_fail_open_count\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function signingAuthority(): Promise<string> {
  const { data } = await client.get<Secret>(SECRETS, SECRET_AT);
  return Buffer.from(data?.['tls.crt'] ?? '', 'base64').toString();
}

/** Whether the certificate that is served on this port is one of the authority. */
function serves(port: number, authority: string): Promise<boolean> {
  const servername = `daskwarden-webhook.${ReplicatedWebhook.namespace}.svc`;
  const socket = connect({ host: '127.0.0.1', port, servername, ca: authority });
  return new Promise((resolve) => {
    socket.once('secureConnect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

async function bundles(): Promise<readonly string[]> {
  const configurations = await Promise.all(
    [MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS].map((resource) =>
      client.get<KubeObject & { webhooks: { clientConfig: { caBundle?: string } }[] }>(resource, {
        name: WEBHOOK_CONFIGURATION,
      }),
    ),
  );
  return configurations.flatMap(({ webhooks }) =>
    webhooks.map(({ clientConfig }) => Buffer.from(clientConfig.caBundle ?? '', 'base64').toString()),
  );
}

describe('at full rate', () => {
  it(
    'no call is lost while both replicas are replaced and the authority rotates',
    async () => {
      const openBefore = await failedOpen();
      const running = load();
      do {
        for (const old of product.replicas) expect(await product.replace(old)).toBe('exit code 0');
      } while (running.admitted < ADMISSIONS);
      const signing = await poll(
        'another authority to sign',
        signingAuthority,
        (certificate) => !['', oldAuthority].includes(certificate),
        { timeoutMs: SETTLE_SECONDS * 1000 + 10_000 },
      );
      await poll(
        'every replica to serve its leaf',
        () => Promise.all(product.replicas.map(({ port }) => serves(port, signing))),
        (served) => served.every(Boolean),
      );
      await running.stop();
      console.log(`${running.admitted} admissions, ${running.perSecond.toFixed(0)} a second`);
      expect(running.failures).toEqual([]);
      expect(await failedOpen()).toBe(openBefore);
      // Leaves of the one before may be in use for a week.
      expect(new Set(await bundles())).toEqual(new Set([signing + oldAuthority]));
    },
    60_000 + ADMISSIONS * 60,
  );

  it('a killed replica loses the calls that were under way there, and no other', async () => {
    const openBefore = await failedOpen();
    const running = load();
    await untilAdmitted(running, 100);
    const connections = await product.kill(product.busiest);
    expect(connections).toBeGreaterThan(0);
    await untilAdmitted(running, running.admitted + 300);
    await running.stop();
    const lost = running.failures.length + (await failedOpen()) - openBefore;
    console.log(`${lost} calls lost of ${connections} connections`);
    expect(lost).toBeLessThanOrEqual(connections);
    for (const failure of running.failures) expect(failure).toMatch(/EOF|connection reset/);
  });
});

it('a caBundle that somebody removed is back within seconds', async () => {
  const before = await bundles();
  const path = '/webhooks/0/clientConfig/caBundle';
  const patch = { type: 'json', operations: [{ op: 'remove', path }] } as const;
  await client.patch(VALIDATING_WEBHOOKS, { name: WEBHOOK_CONFIGURATION }, patch);
  const isBack = (now: readonly string[]): boolean => String(now) === String(before);
  await poll('the bundle to be back', bundles, isBack, { timeoutMs: 5_000 });
});
