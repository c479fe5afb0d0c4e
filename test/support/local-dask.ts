import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { DaskCluster } from '../../src/api/dask-cluster.ts';
import type { Container, Pod } from '../../src/api/kubernetes.ts';
import {
  API_TOKEN_KEY,
  CERTIFICATE_KEY,
  credentialsSecretName,
  DASHBOARD_PORT,
  PRIVATE_KEY_KEY,
  SCHEDULER_PORT,
  serviceName,
  type Role,
} from '../../src/api/names.ts';
import { freePort } from '../../src/control-plane/free-port.ts';
import { SupervisedProcess } from '../../src/control-plane/supervised-process.ts';
import { Watchdog } from '../../src/control-plane/watchdog.ts';
import { daskContainerIndex } from '../../src/core/dask-container.ts';
import { DEFAULT_SETTINGS } from '../../src/core/plan/observed.ts';
import { credentialsPatch } from '../../src/core/render/credentials.ts';
import { renderSchedulerPod, renderWorkerPod } from '../../src/core/render/pod.ts';
import type { ClusterCredentials } from '../../src/pki/cluster-credentials.ts';
import { applyJsonPatch } from './json-patch.ts';
import { kubeletCommand, type Move } from './kubelet-command.ts';
import { poll } from './poll.ts';

const STOP_GRACE_MS = 15_000;
const READY_TIMEOUT_MS = 30_000;

/**
 * The pods of one DaskCluster as processes of this machine: rendered and injected as in production, then started with
 * only the paths and addresses moved.
 */
export class LocalDask {
  readonly folder: string;
  readonly #bin: string;
  readonly #watchdog: Watchdog;
  readonly #processes: SupervisedProcess[] = [];

  private constructor(bin: string, folder: string, watchdog: Watchdog) {
    this.#bin = bin;
    this.folder = folder;
    this.#watchdog = watchdog;
  }

  /** @param bin folder with the `dask` command. */
  static async create(bin: string): Promise<LocalDask> {
    const watchdog = await Watchdog.start();
    const folder = await mkdtemp(join(tmpdir(), 'daskwarden-dask-'));
    watchdog.guardFolder(folder);
    return new LocalDask(bin, folder, watchdog);
  }

  /** Starts the scheduler's pod and waits until its readiness probe succeeds. @returns the scheduler's port. */
  async startScheduler(cluster: DaskCluster, credentials: ClusterCredentials): Promise<number> {
    const [port, dashboard] = [await freePort(), await freePort()];
    const pod = renderSchedulerPod(cluster, DEFAULT_SETTINGS.installation, 1);
    const started = await this.#startPod(pod, 'scheduler', credentials, [
      [`:${DASHBOARD_PORT}`, `127.0.0.1:${dashboard}`],
      [String(SCHEDULER_PORT), String(port)],
    ]);
    const ports = new Map([
      [SCHEDULER_PORT, port],
      [DASHBOARD_PORT, dashboard],
    ]);
    await this.#ready(started, ports);
    return port;
  }

  /** Starts a worker's pod. @returns its name. */
  async startWorker(
    cluster: DaskCluster,
    slot: number,
    credentials: ClusterCredentials,
    schedulerPort: number,
  ): Promise<string> {
    const pod = renderWorkerPod(cluster, DEFAULT_SETTINGS.installation, { incarnation: 1, slot });
    const { name, namespace } = cluster.metadata;
    const started = await this.#startPod(pod, 'worker', credentials, [
      [`${serviceName(name ?? '')}.${namespace}:${SCHEDULER_PORT}`, `127.0.0.1:${schedulerPort}`],
      [`:${DASHBOARD_PORT}`, '127.0.0.1:0'],
    ]);
    return started.process.name;
  }

  /** What a process of no pod needs: an environment without anything of the user's. */
  environment(): NodeJS.ProcessEnv {
    const path = `${this.#bin}:${process.env['PATH'] ?? ''}`;
    return { PATH: path, HOME: this.folder, TMPDIR: this.folder, PYTHONWARNINGS: 'ignore' };
  }

  /** The end of every process's log. */
  async logs(): Promise<string> {
    const parts = this.#processes.map(
      async (child) =>
        `--- ${child.name} (${child.running ? 'runs' : await child.ended})\n${await child.lastLines(40)}`,
    );
    return (await Promise.all(parts)).join('\n');
  }

  /** Ends every process as a kubelet does, and removes the folder. */
  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((child) => child.stop(STOP_GRACE_MS)));
    await this.#watchdog.stop();
  }

  async #startPod(
    rendered: Pod,
    role: Role,
    credentials: ClusterCredentials,
    moves: readonly Move[],
  ): Promise<{ process: SupervisedProcess; container: Container }> {
    const cluster = rendered.metadata.ownerReferences?.[0]?.name ?? '';
    const pod = applyJsonPatch(rendered, credentialsPatch(rendered, cluster));
    const name = pod.metadata.name ?? '';
    const container = pod.spec.containers[daskContainerIndex(pod.spec.containers, role) ?? 0];
    if (container === undefined) throw new Error(`${name}: no Dask container`);
    const mounts = await this.#mountSecrets(pod, container, {
      [credentialsSecretName(cluster)]: {
        [CERTIFICATE_KEY]: credentials.certificatePem,
        [PRIVATE_KEY_KEY]: credentials.privateKeyPem,
        [API_TOKEN_KEY]: credentials.apiToken,
      },
    });
    const { file, args, env } = kubeletCommand(pod, container, [...mounts, ...moves]);
    const started = await SupervisedProcess.start(
      {
        name,
        file: join(this.#bin, file),
        args,
        directory: this.folder,
        env: { ...this.environment(), ...env },
        logPath: join(this.folder, `${name}.log`),
      },
      this.#watchdog,
    );
    this.#processes.push(started);
    return { process: started, container };
  }

  /** Writes the files of every mounted Secret. @returns where each mount path is. */
  async #mountSecrets(
    pod: Pod,
    container: Container,
    secrets: Readonly<Record<string, Readonly<Record<string, string>>>>,
  ): Promise<readonly Move[]> {
    const moves: Move[] = [];
    for (const { name, mountPath } of container.volumeMounts ?? []) {
      const volume = pod.spec.volumes?.find((candidate) => candidate.name === name);
      const files = secrets[volume?.secret?.secretName ?? ''];
      if (files === undefined) throw new Error(`${pod.metadata.name}: volume ${name} is of no known Secret`);
      const folder = join(this.folder, `${pod.metadata.name}-${name}`);
      await mkdir(folder);
      for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
      moves.push([mountPath, folder]);
    }
    return moves;
  }

  async #ready(
    { process: child, container }: { readonly process: SupervisedProcess; readonly container: Container },
    ports: ReadonlyMap<number, number>,
  ): Promise<void> {
    const probe = container.readinessProbe;
    const at = Number(probe?.httpGet?.port ?? probe?.tcpSocket?.port);
    const port = ports.get(at);
    if (port === undefined) throw new Error(`${child.name}: its readiness probe asks port ${at}`);
    const path = probe?.httpGet?.path;
    const look = async (): Promise<'ready' | 'ended' | 'not ready'> => {
      if (!child.running) return 'ended';
      const ready = path === undefined ? await accepts(port) : await answers(port, path);
      return ready ? 'ready' : 'not ready';
    };
    const state = await poll(`${child.name} to be ready`, look, (last) => last !== 'not ready', {
      timeoutMs: READY_TIMEOUT_MS,
    }).catch(String);
    if (state !== 'ready') throw new Error(`${child.name} is not ready: ${state}\n${await this.logs()}`);
  }
}

async function answers(port: number, path: string): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return response.ok;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
