import { copyFile, mkdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildFlags } from './build-flags.ts';
import { moduleBinFolder, moduleSource } from './cache.ts';
import { ControlPlaneError } from './errors.ts';
import { GO_NEEDED, goEnvironment, type GoToolchain, isOlder } from './go-toolchain.ts';
import { SupervisedProcess } from './supervised-process.ts';
import type { BinaryName, GoModule } from './versions.ts';
import type { Watchdog } from './watchdog.ts';

const PROGRESS_INTERVAL_MS = 15_000;
const STOP_GRACE_MS = 5_000;
const LOG_LINES = 15;
/** Template for `go list`: what a build with the same flags will compile. */
const STALE_PACKAGES = '{{if .Stale}}{{.ImportPath}}{{end}}';

export interface BuildOptions {
  /** An empty folder for everything that the builds need; the caller removes it. */
  readonly area: string;
  readonly go: GoToolchain;
  readonly env: NodeJS.ProcessEnv;
  readonly watchdog: Watchdog;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Builds executables of one module in one call, which compiles what they share once, and moves them into the cache.
 * @throws ControlPlaneError with the end of Go's output.
 */
export async function buildModule(
  module: GoModule,
  binaries: readonly BinaryName[],
  options: BuildOptions,
): Promise<void> {
  const { report } = options;
  const title = `${module.name} ${module.version}`;
  const began = performance.now();
  const folder = join(options.area, module.name);
  const output = join(folder, 'bin');
  await mkdir(output, { recursive: true });
  for (const name of ['go.mod', 'go.sum'])
    await copyFile(join(moduleSource(module), name), join(folder, name));
  const packages = binaries.flatMap((binary) => module.packages[binary] ?? []);

  report(`${title}: fetching modules`);
  const flags = buildFlags(module);
  const listed = await runGo(['list', '-deps', '-f', STALE_PACKAGES, ...flags, ...packages], folder, options);
  const total = countPackages(listed);
  report(`${title}: compiling ${total} packages for ${binaries.join(', ')}`);
  // Without a name for a single executable Go would derive one from its package.
  const target = binaries.length === 1 ? join(output, binaries[0] ?? '') : `${output}/`;
  await runGo(['build', '-v', ...flags, '-o', target, ...packages], folder, options, (log) => {
    const done = countPackages(log);
    report(`${title}: ${done} of ${total} packages compiled, ${seconds(began)}`);
  });

  const destination = await moduleBinFolder(module, options.env);
  await mkdir(destination, { recursive: true });
  for (const binary of binaries) await rename(join(output, binary), join(destination, binary));
  report(`${title}: built in ${seconds(began)}, kept in ${destination}`);
}

/** @returns the output of Go, all of it. */
async function runGo(
  args: readonly string[],
  folder: string,
  options: BuildOptions,
  onProgress?: (log: string) => void,
): Promise<string> {
  const { signal, watchdog } = options;
  signal.throwIfAborted();
  const name = `go ${args[0] ?? ''}`;
  const child = await SupervisedProcess.start(
    {
      name,
      file: 'go',
      args,
      directory: folder,
      env: buildEnvironment(options),
      logPath: join(folder, `${args[0] ?? 'go'}.log`),
    },
    watchdog,
  );
  const stop = (): void => {
    void child.stop(STOP_GRACE_MS);
  };
  signal.addEventListener('abort', stop);
  const progress = setInterval(() => {
    void child.log().then(onProgress);
  }, PROGRESS_INTERVAL_MS);
  const how = await child.ended;
  clearInterval(progress);
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (how === 'exit code 0') return child.log();
  const log = await child.lastLines(LOG_LINES);
  throw new ControlPlaneError(
    `${name} in ${basename(folder)} failed with ${how}. The end of its output:\n${log}`,
  );
}

/** The home folder of Go during a build. */
export function goHome(area: string): string {
  return join(area, 'home');
}

/** Go with caches of its own. What the user's Go has downloaded already is read from there, and verified by go.sum. */
function buildEnvironment({ area, env, go }: BuildOptions): NodeJS.ProcessEnv {
  const home = goHome(area);
  const downloaded = pathToFileURL(join(go.moduleCache, 'cache', 'download')).href;
  return {
    ...goEnvironment(env, home),
    GOPATH: join(home, 'go'),
    GOMODCACHE: join(home, 'go', 'pkg', 'mod'),
    GOCACHE: join(home, 'go-build'),
    GOTMPDIR: area,
    GOPROXY: [downloaded, go.proxy].join(','),
    GOOS: process.platform,
    GOARCH: process.arch === 'x64' ? 'amd64' : process.arch,
    CGO_ENABLED: '0',
    ...(isOlder(go.version, GO_NEEDED) ? { GOTOOLCHAIN: 'auto' } : {}),
  };
}

/** One package a line; Go's own remarks start with `go: `. */
function countPackages(output: string): number {
  return output.split('\n').filter((line) => line !== '' && !line.startsWith('go: ')).length;
}

function seconds(began: number): string {
  return `${Math.round((performance.now() - began) / 1000)} s`;
}
