import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { issueLeaf } from '../../../src/pki/authority.ts';
import { poll } from '../../support/poll.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { AUTHORITY } from './running-server.ts';

const PROGRAM = join(import.meta.dirname, '../../../src/cli/main.ts');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const LISTS = new Set(['/api/v1/namespaces', '/apis/gateway.dask.org/v1alpha1/daskclusters']);
const EMPTY_LIST = { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] };

/** An API server that knows one Secret, the authority, which signed its own certificate too, and empty lists. */
async function secretServer(): Promise<number> {
  const leaf = await issueLeaf({
    authority: AUTHORITY,
    dnsNames: ['localhost'],
    nowMs: Date.now(),
    randomBytes,
  });
  const server = createServer({ cert: leaf.certificatePem, key: leaf.privateKeyPem }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://localhost');
    if (LISTS.has(pathname)) {
      response.writeHead(200, { 'content-type': 'application/json' });
      // A watch stays open and tells nothing.
      if (searchParams.get('watch') === null) response.end(JSON.stringify(EMPTY_LIST));
      else response.flushHeaders();
      return;
    }
    const known = pathname === '/api/v1/namespaces/dask/secrets/daskwarden-webhook-ca';
    const data = { 'tls.crt': base64(AUTHORITY.certificatePem), 'tls.key': base64(AUTHORITY.privateKeyPem) };
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ? { kind: 'Secret', metadata: {}, data } : { kind: 'Status' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export interface WebhookProcess {
  readonly child: ChildProcess;
  /** Of the admission service; 0 where it did not get so far. */
  readonly port: number;
  readonly probePort: number;
  /** What it has logged so far. */
  readonly lines: () => readonly Record<string, unknown>[];
  /** What it has written to standard error so far. */
  readonly complaint: () => string;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
}

/** An API server that takes connections and says nothing. */
async function silentServer(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** `daskwarden webhook` as a process of its own, in what looks to it like a pod; it ends with the test. */
export async function webhookProcess(...flags: readonly string[]): Promise<WebhookProcess> {
  return startWebhook(await secretServer(), flags);
}

/** As {@link webhookProcess}, but the API server is not there for it. */
export async function lonelyWebhookProcess(...flags: readonly string[]): Promise<WebhookProcess> {
  return startWebhook(await silentServer(), flags);
}

async function startWebhook(apiPort: number, flags: readonly string[]): Promise<WebhookProcess> {
  const folder = await temporaryFolder();
  const files = { token: 'TOKEN', 'ca.crt': AUTHORITY.certificatePem, namespace: 'dask' };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const args = ['--host=127.0.0.1', '--port=0', '--probe-host=127.0.0.1', '--probe-port=0'];
  const child = spawn(
    process.execPath,
    [PROGRAM, 'webhook', ...args, `--service-account-dir=${folder}`, ...flags],
    {
      env: { KUBERNETES_SERVICE_HOST: 'localhost', KUBERNETES_SERVICE_PORT: String(apiPort) },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaint += chunk));
  const lines = (): Record<string, unknown>[] =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const started = (): Record<string, unknown> | undefined =>
    lines().find(({ msg }) => msg === 'webhook started');
  await poll(
    'the webhook to listen, or to give up',
    () => Promise.resolve({ ended: child.exitCode !== null, started: started() }),
    (state) => state.ended || state.started !== undefined,
  );
  const { port = 0, probePort = 0 } = (started() ?? {}) as Record<string, number>;
  return { child, port, probePort, lines, complaint: () => complaint, ended };
}
