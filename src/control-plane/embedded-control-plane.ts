import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiConnection } from './api-connection.ts';
import { apiserver, CERTIFICATE_AUTHORITY, readCertificateAuthority } from './apiserver.ts';
import { childEnvironment } from './child-environment.ts';
import { type ApiSite, type Component, COMPONENTS, type ComponentName } from './component.ts';
import { ComponentRunner, type RunningComponent } from './component-runner.ts';
import type { ControlPlane, ControlPlaneOptions } from './control-plane.ts';
import { CONTROLLER_MANAGER_KUBECONFIG, controllerManager } from './controller-manager.ts';
import { type Credentials, type IdentityName, userOf, writeCredentials } from './credentials.ts';
import { ControlPlaneError } from './errors.ts';
import { etcd } from './etcd.ts';
import { kubeconfig } from './kubeconfig.ts';
import { type KubectlOptions, type KubectlResult, runKubectl } from './kubectl.ts';
import { kwok, KWOK_KUBECONFIG, KWOK_STAGES } from './kwok.ts';
import { scheduler, SCHEDULER_KUBECONFIG } from './scheduler.ts';
import { readStages } from './stages.ts';
import type { Binaries } from './versions.ts';
import type { Watchdog } from './watchdog.ts';

/** Nothing that a component would save outlives the control plane; an API server waits for its watchers otherwise. */
const STOP_GRACE_MS = 2_000;
const ADMIN_KUBECONFIG = 'admin.kubeconfig';
const KUBECONFIGS = {
  admin: ADMIN_KUBECONFIG,
  controllerManager: CONTROLLER_MANAGER_KUBECONFIG,
  scheduler: SCHEDULER_KUBECONFIG,
  kwok: KWOK_KUBECONFIG,
} as const satisfies Record<IdentityName, string>;

/** The control plane in a folder that is there already and whose removal, if all else fails, is the watchdog's. */
export class EmbeddedControlPlane implements ControlPlane {
  readonly directory: string;
  readonly kubeconfigPath: string;
  readonly #options: ControlPlaneOptions;
  readonly #watchdog: Watchdog;
  readonly #runner: ComponentRunner;
  readonly #env: NodeJS.ProcessEnv;
  readonly #running = new Map<ComponentName, RunningComponent>();
  /** Aborted, with the reason, when a component fails or ends during the start. */
  readonly #startFailed = new AbortController();
  #caPem = '';
  #stopped: Promise<void> | undefined;

  constructor(options: ControlPlaneOptions, watchdog: Watchdog, directory: string) {
    this.directory = directory;
    this.kubeconfigPath = join(directory, ADMIN_KUBECONFIG);
    this.#options = options;
    this.#watchdog = watchdog;
    this.#env = childEnvironment(options.env ?? process.env, join(directory, 'home'));
    this.#runner = new ComponentRunner({
      directory,
      binaries: options.binaries,
      env: this.#env,
      watchdog,
      flags: options.flags ?? {},
    });
  }

  get binaries(): Binaries {
    return this.#options.binaries;
  }

  get caPem(): string {
    return this.#caPem;
  }

  get server(): string {
    return `https://127.0.0.1:${this.#get('kube-apiserver').port}`;
  }

  /** @throws ControlPlaneError or the reason of the abort; the caller stops what did start. */
  async start(): Promise<void> {
    await Promise.all(['home', 'logs'].map((name) => mkdir(join(this.directory, name))));
    const credentials = await writeCredentials(this.directory);
    await this.#launch(etcd(this.directory));
    const { port } = await this.#launch(apiserver(this.directory, credentials));
    const site = await this.#describe(port, credentials);
    const { scheduler: withScheduler = true, kwok: withKwok = true } = this.#options;
    const dependents = [
      controllerManager(site),
      ...(withScheduler ? [scheduler(site)] : []),
      ...(withKwok ? [kwok(site)] : []),
    ];
    // Every start must have settled before a failed control plane is stopped, or a late one would escape.
    await Promise.allSettled(dependents.map((component) => this.#launch(component)));
    this.#startFailed.signal.throwIfAborted();
  }

  async kubectl(args: readonly string[], options: KubectlOptions = {}): Promise<KubectlResult> {
    return runKubectl(args, {
      kubeconfig: this.kubeconfigPath,
      ...options,
      file: this.binaries.kubectl,
      env: this.#env,
    });
  }

  pidOf(component: ComponentName): number {
    return this.#get(component).process.pid;
  }

  logOf(component: ComponentName): Promise<string> {
    return readFile(this.#runner.logPath(component), 'utf8');
  }

  async restart(name: ComponentName, signal: AbortSignal): Promise<void> {
    const { component, process: child, port } = this.#get(name);
    this.#running.delete(name);
    await child.stop(STOP_GRACE_MS);
    this.#register(await this.#runner.start(component, signal, port));
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    try {
      for (const name of COMPONENTS.toReversed()) {
        const running = this.#running.get(name);
        this.#running.delete(name);
        await running?.process.stop(STOP_GRACE_MS);
      }
      await rm(this.directory, { recursive: true, force: true });
    } finally {
      await this.#watchdog.stop();
    }
  }

  async #launch(component: Component): Promise<RunningComponent> {
    const began = performance.now();
    const signal = AbortSignal.any([this.#options.signal, this.#startFailed.signal]);
    try {
      const running = await this.#runner.start(component, signal);
      this.#register(running);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      this.#options.report(`${component.name} is ready after ${seconds} s`);
      return running;
    } catch (error) {
      this.#startFailed.abort(error);
      throw error;
    }
  }

  #register(running: RunningComponent): void {
    const { name } = running.component;
    this.#running.set(name, running);
    void running.process.ended.then(async (how) => {
      if (this.#running.get(name) !== running) return;
      const log = await running.process.lastLines(15);
      const message = `${name} ended by itself: ${how}. The end of its log:\n${log}`;
      this.#startFailed.abort(new ControlPlaneError(message));
      this.#options.report(message);
    });
  }

  #get(name: ComponentName): RunningComponent {
    const running = this.#running.get(name);
    if (running === undefined) throw new ControlPlaneError(`${name} is not running`);
    return running;
  }

  /** Writes what the dependents of the API server read. */
  async #describe(apiPort: number, credentials: Credentials): Promise<ApiSite> {
    this.#caPem = await readCertificateAuthority(this.directory);
    const write = (name: string, content: string): Promise<void> =>
      writeFile(join(this.directory, name), content, { mode: 0o600 });
    const identities = Object.entries(KUBECONFIGS) as [IdentityName, string][];
    await Promise.all([
      write(CERTIFICATE_AUTHORITY, this.#caPem),
      write(KWOK_STAGES, await readStages()),
      ...identities.map(([identity, file]) =>
        write(
          file,
          kubeconfig({
            server: this.server,
            caPem: this.#caPem,
            user: userOf(identity),
            token: credentials.tokens[identity],
          }),
        ),
      ),
    ]);
    const connection = new ApiConnection(this.#caPem, credentials.tokens.admin);
    return { directory: this.directory, credentials, connection, apiPort };
  }
}
