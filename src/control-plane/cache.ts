import { createHash } from 'node:crypto';
import { readFile, rm, rmdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { packagePath } from '../platform/package-root.ts';
import { buildFlags } from './build-flags.ts';
import type { GoModule } from './versions.ts';

/** The one place outside temporary folders that is written: `$XDG_CACHE_HOME/daskwarden`, or `~/.cache/daskwarden`. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const configured = env['XDG_CACHE_HOME'] ?? '';
  // The XDG specification tells to ignore a relative path.
  const root = isAbsolute(configured) ? configured : join(env['HOME'] ?? homedir(), '.cache');
  return join(root, 'daskwarden');
}

/** Where builds happen; on the same file system as their results, which are moved into place atomically. */
export function buildFolder(env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), 'build');
}

/** The folder of a module's go.mod and go.sum. */
export function moduleSource(module: GoModule): string {
  return packagePath('src', 'control-plane', 'modules', module.name);
}

/**
 * The folder of the executables of one module. Its name changes with everything that decides what is in them, so a
 * file that is there is right: version, platform, every dependency (go.sum) and the flags of the build.
 */
export async function moduleBinFolder(module: GoModule, env: NodeJS.ProcessEnv): Promise<string> {
  const source = moduleSource(module);
  const inputs = await Promise.all(['go.mod', 'go.sum'].map((name) => readFile(join(source, name))));
  const hash = createHash('sha256');
  for (const input of [...inputs, JSON.stringify(buildFlags(module))]) hash.update(input).update('\0');
  const key = [module.name, module.version, process.platform, process.arch, hash.digest('hex').slice(0, 12)];
  return join(cacheFolder(env), 'bin', key.join('-'));
}

/** Removes what was built, what an interrupted build may have left, and the Python of the Dask tests. */
export async function removeCache(env: NodeJS.ProcessEnv): Promise<void> {
  const folder = cacheFolder(env);
  for (const name of ['bin', 'build', 'python'])
    await rm(join(folder, name), { recursive: true, force: true });
  // The folder itself only when nobody keeps anything else in it.
  await rmdir(folder).catch(() => undefined);
}
