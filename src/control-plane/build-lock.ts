import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processIdentity } from './process-identity.ts';
import type { Watchdog } from './watchdog.ts';

const LOOK_AGAIN_MS = 250;
const HOLDER_FILE = 'holder.json';

interface Holder {
  readonly pid: number;
  readonly identity: string | undefined;
}

interface LockOptions {
  readonly signal: AbortSignal;
  readonly watchdog: Watchdog;
  /** Called once if another process holds the lock. */
  readonly onWait: (pid: number) => void;
}

/**
 * Runs `work` while no other process of this machine runs one under the same lock, a folder at `path`. The lock of a
 * process that is gone is taken over. It saves work, no more: two builds at once would be right as well, because
 * results are moved into place atomically.
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const own = await mkdtemp(`${path}.`);
  options.watchdog.guardFolder(own);
  try {
    const holder: Holder = { pid: process.pid, identity: await processIdentity(process.pid) };
    await writeFile(join(own, HOLDER_FILE), JSON.stringify(holder));
    await acquire(path, own, options);
    options.watchdog.guardFolder(path);
    try {
      return await work();
    } finally {
      // In one step: a folder that is being emptied would look like a free lock.
      await rename(path, own).catch(() => undefined);
    }
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

async function acquire(path: string, own: string, { signal, onWait }: LockOptions): Promise<void> {
  let told = false;
  while (!(await tryRename(own, path))) {
    const holder = await readHolder(path);
    if (holder === undefined) continue;
    if ((await processIdentity(holder.pid)) !== holder.identity) {
      const stale = `${own}.stale`;
      await rename(path, stale).catch(() => undefined);
      await rm(stale, { recursive: true, force: true });
      continue;
    }
    if (!told) onWait(holder.pid);
    told = true;
    await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
}

/** A folder takes the place of another one only when that is empty, so the lock appears with its content or not. */
async function tryRename(own: string, path: string): Promise<boolean> {
  try {
    await rename(own, path);
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(join(path, HOLDER_FILE), 'utf8')) as Holder;
  } catch (error) {
    // It was released between the two looks.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
