import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processIdentity } from './process-identity.ts';

const LOOK_AGAIN_MS = 250;

interface Holder {
  readonly pid: number;
  readonly identity: string | undefined;
}

interface LockOptions {
  readonly signal: AbortSignal;
  /** Called once if another process holds the lock. */
  readonly onWait: (pid: number) => void;
}

/**
 * Runs `work` while no other process of this machine runs one under the same lock file. The lock of a process that is
 * gone is taken over. It saves work, no more: two builds at once would be right as well, because results are moved
 * into place atomically.
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const own = `${path}.${randomBytes(6).toString('hex')}`;
  const holder: Holder = { pid: process.pid, identity: await processIdentity(process.pid) };
  await writeFile(own, JSON.stringify(holder));
  try {
    await acquire(path, own, options);
    try {
      return await work();
    } finally {
      await rm(path, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
}

async function acquire(path: string, own: string, { signal, onWait }: LockOptions): Promise<void> {
  let told = false;
  while (!(await tryLink(own, path))) {
    const holder = await readHolder(path);
    if (holder === undefined) continue;
    if ((await processIdentity(holder.pid)) !== holder.identity) {
      const stale = `${own}.stale`;
      await rename(path, stale).catch(() => undefined);
      await rm(stale, { force: true });
      continue;
    }
    if (!told) onWait(holder.pid);
    told = true;
    await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
}

/** A link makes the lock appear with its content, so that nobody ever reads a half-written one. */
async function tryLink(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder;
  } catch (error) {
    // It was released between the two looks.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
