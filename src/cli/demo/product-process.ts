import { mkdir, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../control-plane/free-port.ts';
import { withoutProxyForLoopback } from '../../control-plane/child-environment.ts';
import { SupervisedProcess } from '../../control-plane/supervised-process.ts';
import type { Watchdog } from '../../control-plane/watchdog.ts';
import type { Part } from './installation.ts';

export interface ProductOptions {
  readonly part: Part;
  /** The program of the command `daskwarden`. */
  readonly program: string;
  readonly args: readonly string[];
  /** URL of the API server: `https://host:port`. */
  readonly server: string;
  readonly caPem: string;
  /** Of the part's service account. */
  readonly token: string;
  readonly namespace: string;
  /** For its service account files and its log. */
  readonly directory: string;
  readonly watchdog: Watchdog;
}

/** A larger young generation saves nothing here, and costs 25 MB of resident memory under load. */
const NODE_FLAGS = ['--max-semi-space-size=4'];
/** glibc keeps a heap for each of a dozen threads otherwise, most of it free. */
const MEMORY_ENVIRONMENT = { MALLOC_ARENA_MAX: '1' };
const STOP_GRACE_MS = 10_000;
const READY_TIMEOUT_MS = 20_000;

/**
 * One of the product's processes, run as it is in a pod: with nothing but the files of its service account and the
 * address of the API server.
 */
export class ProductProcess {
  readonly process: SupervisedProcess;
  private readonly probePort: number;

  private constructor(process: SupervisedProcess, probePort: number) {
    this.process = process;
    this.probePort = probePort;
  }

  static async start(options: ProductOptions): Promise<ProductProcess> {
    const { part, program, args, server, namespace, directory, watchdog } = options;
    const account = join(directory, `${part}-serviceaccount`);
    await mkdir(account, { recursive: true });
    await Promise.all([
      writeFile(join(account, 'token'), options.token, { mode: 0o600 }),
      writeFile(join(account, 'ca.crt'), options.caPem),
      writeFile(join(account, 'namespace'), namespace),
    ]);
    const probePort = await freePort();
    const { hostname, port, protocol } = new URL(server);
    const process = await SupervisedProcess.start(
      {
        name: part,
        file: globalThis.process.execPath,
        args: [
          ...NODE_FLAGS,
          program,
          part,
          `--service-account-dir=${account}`,
          '--probe-host=127.0.0.1',
          `--probe-port=${String(probePort)}`,
          ...args,
        ],
        directory,
        env: {
          ...withoutProxyForLoopback(globalThis.process.env),
          PATH: globalThis.process.env['PATH'],
          ...MEMORY_ENVIRONMENT,
          KUBERNETES_SERVICE_HOST: hostname.replace(/^\[(.*)\]$/, '$1'),
          KUBERNETES_SERVICE_PORT: port === '' ? (protocol === 'https:' ? '443' : '80') : port,
        },
        logPath: join(directory, `${part}.log`),
      },
      watchdog,
    );
    return new ProductProcess(process, probePort);
  }

  /** Resolves when `/readyz` says so. @throws Error with the end of its log where it does not in time, or ends */
  async ready(timeoutMs = READY_TIMEOUT_MS): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    let last = 'it does not answer';
    while (performance.now() < deadline && this.process.running) {
      const answer = await ask(this.probePort);
      if (answer.code === 200) return;
      last = answer.text;
      await delay(20);
    }
    const how = this.process.running ? `is not ready (${last.trim()})` : 'has ended';
    throw new Error(`${this.process.name} ${how}; the end of its log:\n${await this.process.lastLines(15)}`);
  }

  stop(): Promise<void> {
    return this.process.stop(STOP_GRACE_MS);
  }
}

function ask(port: number): Promise<{ readonly code: number; readonly text: string }> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/readyz', timeout: 1_000 }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        resolve({ code: response.statusCode ?? 0, text });
      });
    });
    request.on('error', (error) => {
      resolve({ code: 0, text: error.message });
    });
  });
}
