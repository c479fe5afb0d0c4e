import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { availableParallelism, devNull, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './cache.ts';
import { findGo, type GoToolchain } from './go-toolchain.ts';

const run = promisify(execFile);

/** What this machine has, as far as building and running a control plane depend on it. */
export interface Machine {
  readonly node: string;
  /** Absent: not on PATH; nothing here needs it. */
  readonly npm: string | undefined;
  readonly go: GoToolchain | undefined;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly cacheFolder: string;
  /** Free for this user on the file system of the cache. */
  readonly freeBytes: number;
  /** HTTPS_PROXY and NO_PROXY as they are set; may hold credentials. */
  readonly httpsProxy: string | undefined;
  readonly noProxy: string | undefined;
}

export async function describeMachine(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Machine> {
  const folder = cacheFolder(env);
  const [npm, go, freeBytes] = await Promise.all([npmVersion(env), findGo(env, signal), freeBytesAt(folder)]);
  return {
    node: process.versions.node,
    npm,
    go,
    cpus: availableParallelism(),
    memoryBytes: Math.min(process.constrainedMemory() || Infinity, totalmem()),
    cacheFolder: folder,
    freeBytes,
    httpsProxy: env['HTTPS_PROXY'] ?? env['https_proxy'],
    noProxy: env['NO_PROXY'] ?? env['no_proxy'],
  };
}

async function npmVersion(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  // npm tells its scripts who it is; asking it again would take half a second.
  const told = /^npm\/(\S+)/.exec(env['npm_config_user_agent'] ?? '')?.[1];
  if (told !== undefined) return told;
  try {
    const { stdout } = await run('npm', ['--version'], {
      // It would leave its log and its compiled code in the home and the temporary folder.
      env: { PATH: env['PATH'], HOME: devNull, NODE_DISABLE_COMPILE_CACHE: '1' },
      timeout: 20_000,
    });
    return stdout.trim();
  } catch {
    return undefined;
  }
}

/** Of the nearest folder that exists: the cache itself may not be there yet. */
async function freeBytesAt(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    if (dirname(folder) === folder) throw error;
    return freeBytesAt(dirname(folder));
  }
}
