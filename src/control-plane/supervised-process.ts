import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { ControlPlaneError } from './errors.ts';
import type { Watchdog } from './watchdog.ts';

export interface ProcessSpec {
  /** Name in messages and of the log file. */
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where standard output and standard error go, appended. */
  readonly logPath: string;
}

/** A child in a process group of its own, guarded by the watchdog, with its output in a file. */
export class SupervisedProcess {
  readonly name: string;
  readonly pid: number;
  /** Resolves, never rejects, when the process has ended: `exit code 1`, `signal SIGKILL`. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #logPath: string;

  private constructor(spec: ProcessSpec, child: ChildProcess, pid: number) {
    this.name = spec.name;
    this.pid = pid;
    this.#child = child;
    this.#logPath = spec.logPath;
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        resolve(signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`);
      });
    });
  }

  /** @throws ControlPlaneError when the file cannot be executed. */
  static async start(spec: ProcessSpec, watchdog: Watchdog): Promise<SupervisedProcess> {
    const log = await open(spec.logPath, 'a');
    try {
      const child = spawn(spec.file, spec.args, {
        cwd: spec.directory,
        env: spec.env,
        // A group of its own: a Ctrl-C in the terminal reaches only us, and we end the children in order.
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
      });
      if (child.pid !== undefined) watchdog.guardProcess(child.pid);
      await once(child, 'spawn');
      return new SupervisedProcess(spec, child, child.pid ?? 0);
    } catch (error) {
      throw new ControlPlaneError(`${spec.name}: cannot execute ${spec.file}: ${(error as Error).message}`, {
        cause: error,
      });
    } finally {
      await log.close();
    }
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** All its output so far. */
  log(): Promise<string> {
    return readFile(this.#logPath, 'utf8');
  }

  async lastLines(count: number): Promise<string> {
    return (await this.log()).trimEnd().split('\n').slice(-count).join('\n');
  }

  /** Asks the process and its children to end, and kills them when they have not within `graceMs`. Idempotent. */
  async stop(graceMs: number): Promise<void> {
    this.#signalGroup('SIGTERM');
    const killer = setTimeout(() => {
      this.#signalGroup('SIGKILL');
    }, graceMs);
    await this.ended;
    clearTimeout(killer);
  }

  #signalGroup(signal: NodeJS.Signals): void {
    // Not yet collected, so the pid is still this child's and the group still its own.
    if (!this.running) return;
    try {
      process.kill(-this.pid, signal);
    } catch {
      // It has ended and waits to be collected, which macOS takes for a lack of permission.
    }
  }
}
