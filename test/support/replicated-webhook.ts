import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { foundation, registration, serviceAccountName, type Part } from '../../src/cli/demo/installation.ts';
import type { ControlPlane } from '../../src/control-plane/control-plane.ts';
import { freePort } from '../../src/control-plane/free-port.ts';
import { SupervisedProcess } from '../../src/control-plane/supervised-process.ts';
import type { Watchdog } from '../../src/control-plane/watchdog.ts';
import { PROGRAM } from './control-plane.setup.ts';
import { poll } from './poll.ts';
import { type Backend, TcpBalancer } from './tcp-balancer.ts';

const PROBE_INTERVAL_MS = 100;

/** A process of the product, and what its readiness probe said last. */
export class ProbedProcess implements Backend {
  readonly port: number;
  readonly process: SupervisedProcess;
  private ready = false;

  constructor(process: SupervisedProcess, port: number, probePort: number) {
    this.process = process;
    this.port = port;
    void this.probe(probePort);
  }

  isReady = (): boolean => this.ready && this.process.running;

  private async probe(probePort: number): Promise<void> {
    while (this.process.running) {
      const answer = await fetch(`http://127.0.0.1:${probePort}/readyz`).catch(() => undefined);
      this.ready = answer?.ok === true;
      await delay(PROBE_INTERVAL_MS);
    }
  }
}

/** The product with replicas of its webhook, behind a Service that leads to those that are ready. */
export class ReplicatedWebhook {
  static readonly namespace = 'daskwarden-system';
  readonly balancer: TcpBalancer;
  replicas: readonly ProbedProcess[] = [];
  private readonly plane: ControlPlane;
  private readonly watchdog: Watchdog;
  private readonly flags: Readonly<Record<Part, readonly string[]>>;
  private readonly processes: ProbedProcess[] = [];
  private started = 0;

  private constructor(
    parts: { readonly plane: ControlPlane; readonly watchdog: Watchdog; readonly balancer: TcpBalancer },
    flags: Readonly<Record<Part, readonly string[]>>,
  ) {
    this.plane = parts.plane;
    this.watchdog = parts.watchdog;
    this.balancer = parts.balancer;
    this.flags = flags;
  }

  /** Installs accounts, rights and registrations; nothing runs yet. */
  static async install(
    plane: ControlPlane,
    watchdog: Watchdog,
    flags: Readonly<Record<Part, readonly string[]>>,
  ): Promise<ReplicatedWebhook> {
    const balancer = await TcpBalancer.start();
    const { namespace } = ReplicatedWebhook;
    const service = { namespace, webhookHost: 'localhost', webhookPort: balancer.port };
    for (const items of [foundation(namespace), registration(service)]) {
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
      const { code, stderr } = await plane.kubectl(['apply', '--server-side', '-f', '-'], { input });
      if (code !== 0) throw new Error(stderr);
    }
    return new ReplicatedWebhook({ plane, watchdog, balancer }, flags);
  }

  async startController(): Promise<void> {
    await this.start('controller', 0);
  }

  /** Starts one more replica; resolves when new connections may go there. */
  async addReplica(): Promise<ProbedProcess> {
    const port = await freePort();
    const replica = await this.start('webhook', port, `--port=${port}`, '--host=127.0.0.1');
    this.replicas = [...this.replicas, replica];
    this.balancer.backends.add(replica);
    await poll(
      'a replica to be ready',
      async () => ({ ready: replica.isReady(), log: await replica.process.lastLines(5) }),
      ({ ready }) => ready,
    );
    return replica;
  }

  /** As a Deployment with `maxUnavailable: 0` does it: one more first, then the old one is told to end. */
  async replace(old: ProbedProcess): Promise<string> {
    await this.addReplica();
    process.kill(old.process.pid, 'SIGTERM');
    const how = await old.process.ended;
    this.forget(old);
    return how;
  }

  /** The replica with the most connections. */
  get busiest(): ProbedProcess {
    const load = (replica: ProbedProcess): number => this.balancer.connectionsTo(replica);
    return this.replicas.reduce((most, one) => (load(one) > load(most) ? one : most));
  }

  /** @returns how many connections it had */
  async kill(replica: ProbedProcess): Promise<number> {
    const connections = this.balancer.connectionsTo(replica);
    this.forget(replica);
    process.kill(replica.process.pid, 'SIGKILL');
    await replica.process.ended;
    return connections;
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map(({ process }) => process.stop(5_000)));
    await this.balancer.close();
  }

  private forget(replica: ProbedProcess): void {
    this.balancer.backends.delete(replica);
    this.replicas = this.replicas.filter((one) => one !== replica);
  }

  private async start(part: Part, port: number, ...args: readonly string[]): Promise<ProbedProcess> {
    const { namespace } = ReplicatedWebhook;
    const { plane } = this;
    const name = `${part}-${this.started++}`;
    const directory = join(plane.directory, name);
    const create = ['create', 'token', serviceAccountName(part), '-n', namespace, '--duration=1h'];
    const { stdout: token } = await plane.kubectl(create);
    await mkdir(directory);
    const files = { token: token.trim(), 'ca.crt': plane.caPem, namespace };
    await Promise.all(Object.entries(files).map(([file, text]) => writeFile(join(directory, file), text)));
    const probePort = await freePort();
    const { hostname, port: apiPort } = new URL(plane.server);
    const spec = {
      name,
      file: process.execPath,
      args: [
        PROGRAM,
        part,
        `--service-account-dir=${directory}`,
        '--probe-host=127.0.0.1',
        `--probe-port=${probePort}`,
        ...args,
        ...this.flags[part],
      ],
      directory,
      env: {
        PATH: process.env['PATH'],
        KUBERNETES_SERVICE_HOST: hostname,
        KUBERNETES_SERVICE_PORT: apiPort,
      },
      logPath: join(directory, `${name}.log`),
    };
    const started = new ProbedProcess(await SupervisedProcess.start(spec, this.watchdog), port, probePort);
    this.processes.push(started);
    return started;
  }
}
