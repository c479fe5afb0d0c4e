import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One line of JSON to the watchdog's process: the leader of a process group, or a folder with all that is in it. */
export type WatchdogMessage = { readonly pid: number } | { readonly folder: string };

/**
 * Cleans up after this process when this process cannot: whatever it guards is killed or removed as soon as this
 * process is gone, by Ctrl-C, a crash or SIGKILL alike. So nothing here needs a signal handler.
 */
export class Watchdog {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Resolves when the watchdog's process exists. */
  static async start(): Promise<Watchdog> {
    // The sources run as .ts, the published package as .js.
    const program = new URL(`./watchdog-process${extname(import.meta.filename)}`, import.meta.url);
    const child = spawn(process.execPath, [fileURLToPath(program)], {
      // A session of its own: neither a Ctrl-C in the terminal nor its closing reaches the watchdog.
      detached: true,
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await once(child, 'spawn');
    child.unref();
    // A watchdog that somebody killed must not take the guarded process with it (EPIPE).
    child.stdin.on('error', () => undefined);
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

  /** Ends the watchdog after it has killed and removed what is still left of the things it guards. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.ref();
    this.#child.stdin?.end();
    await exited;
  }

  #send(message: WatchdogMessage): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}
