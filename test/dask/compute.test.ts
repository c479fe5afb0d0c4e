import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CERTIFICATE_KEY, CREDENTIALS_MOUNT_PATH, PRIVATE_KEY_KEY } from '../../src/api/names.ts';
import { CREDENTIALS_ENVIRONMENT } from '../../src/core/render/environment.ts';
import { type ClusterCredentials, createClusterCredentials } from '../../src/pki/cluster-credentials.ts';
import { aCluster, IMAGE } from '../support/builders.ts';
import { daskPython } from '../support/dask-python.ts';
import { LocalDask } from '../support/local-dask.ts';

const run = promisify(execFile);
const CLIENT = join(import.meta.dirname, 'client.py');
const INSTALL_MS = 240_000;
const CLIENT_MS = 60_000;

const CLUSTER = aCluster({
  spec: {
    worker: {
      replicas: 2,
      template: {
        spec: {
          containers: [
            {
              name: 'dask-worker',
              image: IMAGE,
              // Dask itself would read `m` as mega.
              resources: { limits: { cpu: '1500m', memory: '300000000000m' } },
            },
          ],
        },
      },
    },
  },
});

interface Report {
  readonly sum: number;
  readonly moved: number;
  readonly nested: number;
  readonly workers: readonly {
    readonly name: string;
    readonly address: string;
    readonly nanny: string;
    readonly threads: number;
    readonly memoryLimit: number;
  }[];
}

let unavailable: string | undefined;
let dask: LocalDask;
let own: ClusterCredentials;
let foreign: ClusterCredentials;

beforeAll(async () => {
  const python = await daskPython(process.env);
  if (!python.available) {
    unavailable = python.reason;
    return;
  }
  dask = await LocalDask.create(python.bin);
  const request = { cluster: 'demo', nowMs: Date.now(), randomBytes };
  [own, foreign] = await Promise.all([createClusterCredentials(request), createClusterCredentials(request)]);
}, INSTALL_MS);

afterAll(async () => {
  if (unavailable === undefined) await dask.stop();
});

beforeEach((context) => {
  if (unavailable !== undefined) context.skip(unavailable);
  context.onTestFailed(async () => {
    console.log(await dask.logs());
  });
});

describe('a cluster of two workers, as rendered', () => {
  let port: number;
  let names: readonly string[];
  let report: Report;

  beforeAll(async () => {
    if (unavailable !== undefined) return;
    port = await dask.startScheduler(CLUSTER, own);
    names = await Promise.all([0, 1].map((slot) => dask.startWorker(CLUSTER, slot, own, port)));
    report = await compute(port).catch(async (error: unknown) => {
      throw new Error(await dask.logs(), { cause: error });
    });
  }, CLIENT_MS);

  test('computes for a client with the connect credentials', () => {
    expect(report.sum).toBe(328_350);
    expect(report.moved, 'bytes that went from one worker to the other').toBe(1_000_000);
    expect(report.nested, 'what a task computed with a client of its own').toBe(42);
  });

  test('every worker is known by the name of its pod, with the threads and the memory of its limits', () => {
    const seen = report.workers.map(({ name, threads, memoryLimit }) => ({ name, threads, memoryLimit }));
    seen.sort((one, other) => one.name.localeCompare(other.name));
    expect(seen).toEqual(names.map((name) => ({ name, threads: 2, memoryLimit: 300_000_000 })));
  });

  test('scheduler, workers and nannies talk to holders of the credentials and to nobody else', async () => {
    const peers = report.workers.flatMap(({ address, nanny }) => [address, nanny]).map(portOf);
    expect(peers).toHaveLength(4);
    const ca = own.certificatePem;
    const stranger = { cert: foreign.certificatePem, key: foreign.privateKeyPem };
    for (const peer of [port, ...peers]) {
      expect(await overTls(peer, { ca, cert: own.certificatePem, key: own.privateKeyPem })).toBe('answered');
      expect(await overTls(peer, { ca })).toBe('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED');
      expect(await overTls(peer, { ca, ...stranger })).toBe('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA');
      expect(await overTcp(peer)).not.toBe('answered');
    }
  });

  test("a Dask client with another cluster's credentials is refused", async () => {
    const environment = await connectEnvironment('foreign', foreign);
    await expect(runClient(`tls://127.0.0.1:${port}`, environment)).rejects.toThrow(
      'TLS certificate does not match',
    );
  });

  test('a Dask client without TLS is refused', async () => {
    await expect(runClient(`tcp://127.0.0.1:${port}`, {})).rejects.toThrow(/CommClosedError|Timed out/);
  });
});

test(
  "a scheduler with a user's own command, which says nothing of TLS, asks for credentials too",
  async () => {
    const container = {
      name: 'dask-scheduler',
      image: IMAGE,
      command: ['dask', 'scheduler'],
      args: ['--port', '8786', '--dashboard-address', ':8787'],
    };
    const scheduler = { template: { spec: { containers: [container] } } };
    const port = await dask.startScheduler(aCluster({ name: 'custom', spec: { scheduler } }), own);
    const ca = own.certificatePem;
    expect(await overTls(port, { ca, cert: own.certificatePem, key: own.privateKeyPem })).toBe('answered');
    expect(await overTls(port, { ca })).toBe('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED');
    expect(await overTcp(port)).not.toBe('answered');
  },
  CLIENT_MS,
);

async function compute(port: number): Promise<Report> {
  const environment = await connectEnvironment('connect', own);
  return JSON.parse(await runClient(`tls://127.0.0.1:${port}`, environment)) as Report;
}

/** What a notebook has: certificate and key in a folder, no token, and the variables that name them. */
async function connectEnvironment(name: string, credentials: ClusterCredentials): Promise<NodeJS.ProcessEnv> {
  const folder = join(dask.folder, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, CERTIFICATE_KEY), credentials.certificatePem);
  await writeFile(join(folder, PRIVATE_KEY_KEY), credentials.privateKeyPem);
  const variables = CREDENTIALS_ENVIRONMENT.filter((variable) =>
    /__(CA_FILE|CLIENT__\w+)$/.test(variable.name),
  );
  return Object.fromEntries(
    variables.map((variable) => [variable.name, variable.value?.replace(CREDENTIALS_MOUNT_PATH, folder)]),
  );
}

async function runClient(address: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const env = { ...dask.environment(), ...environment };
  const { stdout } = await run('python', [CLIENT, address, '2'], { env, timeout: CLIENT_MS });
  return stdout;
}

function portOf(address: string): number {
  return Number(new URL(address).port);
}

/**
 * Whether a Dask process answers, else the code of its refusal. Dask speaks first; in TLS 1.3 a refused client learns
 * of it when it reads.
 */
function overTls(port: number, options: tls.SecureContextOptions): Promise<string> {
  return outcome(tls.connect({ host: '127.0.0.1', port, checkServerIdentity: () => undefined, ...options }));
}

function overTcp(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  // Something that no TLS server takes for a greeting.
  socket.write('not a TLS record, and long enough to be read as one');
  return outcome(socket);
}

async function outcome(socket: tls.TLSSocket | ReturnType<typeof connect>): Promise<string> {
  try {
    for await (const _chunk of socket) return 'answered';
    return 'closed';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    socket.destroy();
  }
}
