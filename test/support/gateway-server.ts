import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../src/control-plane/free-port.ts';
import { SupervisedProcess } from '../../src/control-plane/supervised-process.ts';
import type { Watchdog } from '../../src/control-plane/watchdog.ts';
import { poll } from './poll.ts';

const run = promisify(execFile);
const FILES = join(import.meta.dirname, '..', 'dask');
const STOP_GRACE_MS = 10_000;
const CLIENT_MS = 30_000;

interface GatewayServerOptions {
  /** Folder with `python` and `dask-gateway-server`. */
  readonly bin: string;
  /** Of dask-gateway's account. */
  readonly kubeconfig: string;
  /** Of the clusters. */
  readonly namespace: string;
  /** For its files. */
  readonly directory: string;
  readonly watchdog: Watchdog;
}

/** dask-gateway's API server, unmodified, without its controller; and its client. */
export class GatewayServer {
  private readonly process: SupervisedProcess;
  private readonly address: string;
  private readonly environment: NodeJS.ProcessEnv;

  private constructor(process: SupervisedProcess, address: string, environment: NodeJS.ProcessEnv) {
    this.process = process;
    this.address = address;
    this.environment = environment;
  }

  static async start(options: GatewayServerOptions): Promise<GatewayServer> {
    const { bin, directory, kubeconfig, namespace, watchdog } = options;
    const [port, file] = [await freePort(), join(directory, 'gateway.kubeconfig')];
    await writeFile(file, kubeconfig, { mode: 0o600 });
    const address = `http://127.0.0.1:${port}`;
    const common = {
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      HOME: directory,
      TMPDIR: directory,
      NO_PROXY: '127.0.0.1,localhost',
      PYTHONWARNINGS: 'ignore',
    };
    const server = await SupervisedProcess.start(
      {
        name: 'dask-gateway-server',
        file: join(bin, 'dask-gateway-server'),
        args: ['--config', join(FILES, 'gateway_config.py')],
        directory,
        env: { ...common, KUBECONFIG: file, GATEWAY_PORT: String(port), GATEWAY_NAMESPACE: namespace },
        logPath: join(directory, 'gateway.log'),
      },
      watchdog,
    );
    const gateway = new GatewayServer(server, address, common);
    await poll(
      "dask-gateway's API server",
      async () => (await fetch(`${address}/api/health`)).status,
      (status) => status === 200,
    ).catch(async (error: unknown) => {
      const log = await server.log();
      await gateway.stop();
      throw new Error(log, { cause: error });
    });
    return gateway;
  }

  /**
   * Calls a method of dask-gateway's `Gateway` with cluster options.
   * @returns what it prints, or the last lines of what a person sees where it raises
   */
  async call(method: 'new_cluster' | 'submit', options: object = {}): Promise<string> {
    const args = [join(FILES, 'gateway_client.py'), this.address, method, JSON.stringify(options)];
    return run('python', args, { env: this.environment, timeout: CLIENT_MS }).then(
      ({ stdout }) => stdout.trim(),
      (error: unknown) => exceptionOf((error as { readonly stderr?: string }).stderr ?? String(error)),
    );
  }

  log(): Promise<string> {
    return this.process.log();
  }

  stop(): Promise<void> {
    return this.process.stop(STOP_GRACE_MS);
  }
}

/** The exception of a Python traceback, with its whole message. */
function exceptionOf(stderr: string): string {
  const lines = stderr.trimEnd().split('\n');
  const last = lines.findLastIndex((line) => line.startsWith(' '));
  return lines.slice(last + 1).join('\n');
}
