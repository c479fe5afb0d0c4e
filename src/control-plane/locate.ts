import { execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { devNull } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { moduleBinFolder } from './cache.ts';
import { childEnvironment } from './child-environment.ts';
import { BINARIES, type BinaryName, isAcceptable, minorOf, moduleOf } from './versions.ts';

const VERSION_TIMEOUT_MS = 20_000;
const run = promisify(execFile);

export type Origin = 'KUBEBUILDER_ASSETS' | 'cache' | 'PATH';

export interface Found {
  readonly path: string;
  readonly origin: Origin;
  /** `1.36.3` */
  readonly version: string;
}

export interface Location {
  readonly binary: BinaryName;
  /** Absent: it must be built. */
  readonly found?: Found;
  /** What was there but does not do, and why. */
  readonly passedOver: readonly string[];
}

/** {@link locate} for all of them, in the order of {@link BINARIES}. */
export function locateAll(env: NodeJS.ProcessEnv): Promise<Location[]> {
  return Promise.all(BINARIES.map((binary) => locate(binary, env)));
}

/**
 * Looks for an executable in `$KUBEBUILDER_ASSETS`, in the cache and on PATH, in this order. From PATH only the same
 * minor release is taken; KUBEBUILDER_ASSETS was chosen by the user and may be of any release.
 */
export async function locate(binary: BinaryName, env: NodeJS.ProcessEnv): Promise<Location> {
  const passedOver: string[] = [];
  const assets = env['KUBEBUILDER_ASSETS'] ?? '';
  if (assets !== '') {
    const path = resolve(assets, binary);
    const version = await versionOf(binary, path, env);
    if (version !== undefined)
      return { binary, found: { path, origin: 'KUBEBUILDER_ASSETS', version }, passedOver };
    if (await isExecutable(path)) passedOver.push(`${path} does not tell its version`);
  }
  const cached = join(await moduleBinFolder(moduleOf(binary), env), binary);
  if (await isExecutable(cached)) {
    const version = moduleOf(binary).version.slice(1);
    return { binary, found: { path: cached, origin: 'cache', version }, passedOver };
  }
  const found = await onPath(binary, env, passedOver);
  return found === undefined ? { binary, passedOver } : { binary, found, passedOver };
}

async function onPath(
  binary: BinaryName,
  env: NodeJS.ProcessEnv,
  passedOver: string[],
): Promise<Found | undefined> {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  for (const folder of new Set(folders)) {
    const path = join(folder, binary);
    if (!(await isExecutable(path))) continue;
    const version = await versionOf(binary, path, env);
    if (version !== undefined && isAcceptable(binary, version)) return { path, origin: 'PATH', version };
    passedOver.push(
      version === undefined
        ? `${path} does not tell its version`
        : `${path} is ${version}, not ${minorOf(moduleOf(binary).version)}`,
    );
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** `undefined` when there is no such file, or it cannot be run here, or it says something else than a version. */
async function versionOf(
  binary: BinaryName,
  path: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const args = binary === 'kubectl' ? ['version', '--client'] : ['--version'];
  try {
    const { stdout } = await run(path, args, {
      timeout: VERSION_TIMEOUT_MS,
      env: childEnvironment(env, devNull),
    });
    return /\bv?(\d+\.\d+\.\d+)\b/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}
