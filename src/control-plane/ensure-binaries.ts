import { access, constants, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildModule } from './build.ts';
import { withLock } from './build-lock.ts';
import { buildFolder } from './cache.ts';
import { ControlPlaneError } from './errors.ts';
import type { GoToolchain } from './go-toolchain.ts';
import { locate, type Location } from './locate.ts';
import { describeMachine } from './machine.ts';
import { modulesToBuild, obstacle, preflightTable } from './preflight.ts';
import { BINARIES, type Binaries } from './versions.ts';
import { Watchdog } from './watchdog.ts';

export interface EnsureBinariesOptions {
  /** Told of the preflight table, then of every step; one line each. */
  readonly report: (line: string) => void;
  /** Ends a build; nothing of it is left. */
  readonly signal: AbortSignal;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The executables of a control plane: those that are there, and the missing ones built from pinned Go modules.
 * @throws ControlPlaneError when some are missing and cannot be built; the message says what is possible.
 */
export async function ensureBinaries(options: EnsureBinariesOptions): Promise<Binaries> {
  const { env, report, signal } = options;
  const [machine, locations] = await Promise.all([describeMachine(env, signal), locateAll(env)]);
  preflightTable(machine, locations).forEach(report);
  const problem = obstacle(machine, locations);
  if (problem !== undefined) throw new ControlPlaneError(problem);
  if (machine.go === undefined || modulesToBuild(locations).length === 0) return paths(locations);
  return buildMissing(machine.go, options);
}

async function buildMissing(go: GoToolchain, options: EnsureBinariesOptions): Promise<Binaries> {
  const { env, report, signal } = options;
  const folder = await makeWritable(buildFolder(env));
  const onWait = (pid: number): void => {
    report(`waiting for the build of process ${pid}`);
  };
  return withLock(`${folder}.lock`, { signal, onWait }, async () => {
    // Whoever held the lock before may have built what was missing.
    const locations = await locateAll(env);
    const watchdog = await Watchdog.start();
    const area = await mkdtemp(join(folder, 'area-'));
    watchdog.guardFolder(area);
    try {
      for (const module of modulesToBuild(locations)) {
        const missing = locations.filter(
          ({ binary, found }) => found === undefined && binary in module.packages,
        );
        await buildModule(
          module,
          missing.map(({ binary }) => binary),
          { area, go, env, watchdog, report, signal },
        );
      }
    } finally {
      await rm(area, { recursive: true, force: true });
      await watchdog.stop();
    }
    return paths(await locateAll(env));
  });
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

function locateAll(env: NodeJS.ProcessEnv): Promise<Location[]> {
  return Promise.all(BINARIES.map((binary) => locate(binary, env)));
}

function paths(locations: readonly Location[]): Binaries {
  const entries = locations.map(({ binary, found }) => {
    if (found === undefined) throw new ControlPlaneError(`${binary} was built and cannot be found`);
    return [binary, found.path] as const;
  });
  return Object.fromEntries(entries) as Binaries;
}
