import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ControlPlaneError } from './errors.ts';
import type { GuardedThing } from './guarded-things.ts';

/**
 * Cleans up after this process when this process cannot: whatever it guards is killed or removed as soon as this
 * process is gone, by Ctrl-C, a crash or SIGKILL alike. So nothing here needs a signal handler.
 */
export class Watchdog {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.#child = child;
  }

  /** Resolves when the watchdog watches. @throws ControlPlaneError when its process cannot do so. */
  static async start(): Promise<Watchdog> {
    // The sources run as .ts, the published package as .js.
    const program = new URL(`./watchdog-process${extname(import.meta.filename)}`, import.meta.url);
    const child = spawn(process.execPath, [fileURLToPath(program)], {
      // A session of its own: neither a Ctrl-C in the terminal nor its closing reaches the watchdog.
      detached: true,
      cwd: '/',
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    // A watchdog that somebody killed must not take this process with it (EPIPE).
    child.stdin.on('error', () => undefined);
    const failed = once(child, 'exit').then(([code, signal]) => {
      throw new ControlPlaneError(`the watchdog process ended at its start: ${String(code ?? signal)}`);
    });
    await Promise.race([once(child.stdout, 'data'), failed]);
    failed.catch(() => undefined);
    child.stdout.destroy();
    child.unref();
    return new Watchdog(child);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** @param pid a process that leads a process group of its own (`detached`); the whole group is killed. */
  guardProcess(pid: number): void {
    this.#send({ pid });
  }

  guardFolder(path: string): void {
    this.#send({ folder: path });
  }

  /** Ends the watchdog after it has killed and removed what is still left of the things it guards. Idempotent. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.ref();
    this.#child.stdin.end();
    await exited;
  }

  #send(thing: GuardedThing): void {
    this.#child.stdin.write(`${JSON.stringify(thing)}\n`);
  }
}
