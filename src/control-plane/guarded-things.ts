import { rm, stat } from 'node:fs/promises';
import { processIdentity } from './process-identity.ts';

/** One thing to guard: the leader of a process group, or a folder with all that is in it. */
export type GuardedThing = { readonly pid: number } | { readonly folder: string };

/** Remembers things as they were when they were announced, and later ends only what is still the very same thing. */
export class GuardedThings {
  readonly #processes = new Map<number, string>();
  readonly #folders = new Map<string, string>();
  readonly #identityOf: (pid: number) => Promise<string | undefined>;

  constructor(identityOf: (pid: number) => Promise<string | undefined> = processIdentity) {
    this.#identityOf = identityOf;
  }

  async add(thing: GuardedThing): Promise<void> {
    if ('pid' in thing) {
      const identity = await this.#identityOf(thing.pid);
      if (identity !== undefined) this.#processes.set(thing.pid, identity);
    } else {
      const identity = await folderIdentity(thing.folder);
      if (identity !== undefined) this.#folders.set(thing.folder, identity);
    }
  }

  /** Kills the process groups, then removes the folders. */
  async end(): Promise<void> {
    for (const [pid, identity] of this.#processes) {
      if ((await this.#identityOf(pid)) !== identity) continue;
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // It ended by itself between the look and the kill.
      }
    }
    for (const [path, identity] of this.#folders) {
      if ((await folderIdentity(path)) !== identity) continue;
      // A killed process may still be writing its last file while the folder is walked.
      await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    }
  }
}

async function folderIdentity(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
