import { access, constants, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildModule, type BuildOptions, goHome } from './build.ts';
import { withLock } from './build-lock.ts';
import { buildFolder } from './cache.ts';
import { ControlPlaneError } from './errors.ts';
import { type GoToolchain, prepareGoHome } from './go-toolchain.ts';
import { locateAll } from './locate.ts';
import { modulesToBuild } from './preflight.ts';
import { Watchdog } from './watchdog.ts';

export interface BuildMissingOptions {
  /** Told of every step, one line each. */
  readonly report: (line: string) => void;
  /** Ends the build; nothing of it is left. */
  readonly signal: AbortSignal;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Builds every executable that is not found, one process of this machine at a time. However it ends, the build's own
 * folder, with its several GB, is removed.
 * @throws ControlPlaneError when a build fails or the cache cannot be written.
 */
export async function buildMissing(go: GoToolchain, options: BuildMissingOptions): Promise<void> {
  const { env, report, signal } = options;
  const folder = await makeWritable(buildFolder(env));
  const onWait = (pid: number): void => {
    report(`waiting for the build of process ${pid}`);
  };
  const watchdog = await Watchdog.start();
  try {
    await withLock(`${folder}.lock`, { signal, watchdog, onWait }, async () => {
      const area = await mkdtemp(join(folder, 'area-'));
      watchdog.guardFolder(area);
      try {
        await buildIn(area, { ...options, go, watchdog });
      } finally {
        await rm(area, { recursive: true, force: true });
      }
    });
  } finally {
    await watchdog.stop();
  }
}

async function buildIn(area: string, options: Omit<BuildOptions, 'area'>): Promise<void> {
  // Whoever held the lock before may have built what was missing.
  const missing = (await locateAll(options.env)).filter(({ found }) => found === undefined);
  await prepareGoHome(goHome(area));
  for (const module of modulesToBuild(missing)) {
    const binaries = missing.map(({ binary }) => binary).filter((binary) => binary in module.packages);
    await buildModule(module, binaries, { ...options, area });
  }
}

async function makeWritable(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    return folder;
  } catch (error) {
    throw new ControlPlaneError(
      `The cache ${folder} cannot be written (${(error as Error).message}): set XDG_CACHE_HOME to a folder that can.`,
      { cause: error },
    );
  }
}
