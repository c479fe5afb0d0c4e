import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Component, ComponentName } from './component.ts';
import { ControlPlaneError } from './errors.ts';
import { freePort } from './free-port.ts';
import { SupervisedProcess } from './supervised-process.ts';
import type { Binaries } from './versions.ts';
import type { Watchdog } from './watchdog.ts';

const READY_TIMEOUT_MS = 90_000;
const POLL_INTERVAL_MS = 50;
const PORT_ATTEMPTS = 5;
const LOG_LINES = 15;
const PORT_TAKEN = /address already in use/;

export interface RunnerOptions {
  readonly directory: string;
  readonly binaries: Binaries;
  readonly env: NodeJS.ProcessEnv;
  readonly watchdog: Watchdog;
  /** Appended to a component's own flags. */
  readonly flags: Readonly<Partial<Record<ComponentName, readonly string[]>>>;
}

export interface RunningComponent {
  readonly component: Component;
  readonly process: SupervisedProcess;
  readonly port: number;
}

type Outcome = 'ready' | { readonly failure: string };

/** Starts components and waits until they work. */
export class ComponentRunner {
  readonly #options: RunnerOptions;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  logPath(name: ComponentName): string {
    return join(this.#options.directory, 'logs', `${name}.log`);
  }

  /**
   * @param port the port to use; absent: a free one, and another one when somebody was faster to bind it.
   * @throws ControlPlaneError that names the component and ends with the last lines of its log; its process is gone.
   */
  async start(component: Component, signal: AbortSignal, port?: number): Promise<RunningComponent> {
    for (let attempt = 1; ; attempt++) {
      const chosen = port ?? (await freePort());
      const child = await this.#spawn(component, chosen);
      const outcome = await this.#untilReady(component, child, { port: chosen, signal });
      if (outcome === 'ready') return { component, process: child, port: chosen };
      await child.stop(0);
      signal.throwIfAborted();
      const log = await child.lastLines(LOG_LINES);
      if (port === undefined && attempt < PORT_ATTEMPTS && PORT_TAKEN.test(log)) continue;
      throw new ControlPlaneError(
        `${component.name} did not start: ${outcome.failure}. The end of its log:\n${log}`,
      );
    }
  }

  #spawn(component: Component, port: number): Promise<SupervisedProcess> {
    const { binaries, directory, env, flags, watchdog } = this.#options;
    const { name } = component;
    const args = [...component.args(port), ...(flags[name] ?? [])];
    return SupervisedProcess.start(
      { name, file: binaries[name], args, directory, env, logPath: this.logPath(name) },
      watchdog,
    );
  }

  async #untilReady(
    component: Component,
    child: SupervisedProcess,
    { port, signal }: { readonly port: number; readonly signal: AbortSignal },
  ): Promise<Outcome> {
    const deadline = AbortSignal.timeout(READY_TIMEOUT_MS);
    const either = AbortSignal.any([signal, deadline]);
    let lastState = 'not ready';
    while (!either.aborted) {
      if (!child.running) return { failure: await child.ended };
      try {
        if (await component.ready(port, either)) return 'ready';
        lastState = 'not ready';
      } catch (error) {
        lastState = (error as Error).message;
      }
      await delay(POLL_INTERVAL_MS);
    }
    return { failure: `not ready after ${READY_TIMEOUT_MS / 1000} s (${lastState})` };
  }
}
