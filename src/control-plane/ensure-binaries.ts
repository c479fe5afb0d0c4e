import { buildMissing, type BuildMissingOptions } from './build-missing.ts';
import { ControlPlaneError } from './errors.ts';
import { locateAll, type Location } from './locate.ts';
import { describeMachine } from './machine.ts';
import { obstacle, preflightTable } from './preflight.ts';
import type { Binaries } from './versions.ts';

/**
 * The executables of a control plane: those that are there, and the missing ones built from pinned Go modules. The
 * preflight table is reported first.
 * @throws ControlPlaneError when some are missing and cannot be built; the message says what is possible.
 */
export async function ensureBinaries(options: BuildMissingOptions): Promise<Binaries> {
  const { env, report, signal } = options;
  const [machine, locations] = await Promise.all([describeMachine(env, signal), locateAll(env)]);
  preflightTable(machine, locations).forEach(report);
  const problem = obstacle(machine, locations);
  if (problem !== undefined) throw new ControlPlaneError(problem);
  if (machine.go === undefined || locations.every(({ found }) => found !== undefined))
    return paths(locations);
  await buildMissing(machine.go, options);
  return paths(await locateAll(env));
}

function paths(locations: readonly Location[]): Binaries {
  const entries = locations.map(({ binary, found }) => {
    if (found === undefined) throw new ControlPlaneError(`${binary} was built and cannot be found`);
    return [binary, found.path] as const;
  });
  return Object.fromEntries(entries) as Binaries;
}
