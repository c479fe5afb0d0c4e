import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheFolder } from '../../src/control-plane/cache.ts';

const run = promisify(execFile);
const REQUIREMENTS = fileURLToPath(new URL('./dask-requirements.txt', import.meta.url));
const INSTALL_TIMEOUT_MS = 180_000;
const MINIMUM = { major: 3, minor: 10 } as const;
const DESCRIBE = `
import ensurepip, json, sys, venv
print(json.dumps({"major": sys.version_info[0], "minor": sys.version_info[1], "prefix": sys.base_prefix}))
`;

interface Interpreter {
  readonly major: number;
  readonly minor: number;
  readonly prefix: string;
}

/** The folder with `python` and `dask`, or why there is none on this machine. */
export type DaskPython =
  { readonly available: true; readonly bin: string } | { readonly available: false; readonly reason: string };

/**
 * A virtual environment with exactly dask-requirements.txt, made on first use and kept in the cache folder. pip
 * follows the user's own configuration (`PIP_*`, pip.conf).
 */
export async function daskPython(env: NodeJS.ProcessEnv): Promise<DaskPython> {
  const interpreter = await run('python3', ['-c', DESCRIBE], { env }).then(
    ({ stdout }) => JSON.parse(stdout) as Interpreter,
    (error: unknown) => lastLine(error),
  );
  const needed = `python3 (>= ${MINIMUM.major}.${MINIMUM.minor}) with venv and ensurepip is needed`;
  if (typeof interpreter === 'string') return { available: false, reason: `${needed}: ${interpreter}` };
  const { major, minor } = interpreter;
  if (major !== MINIMUM.major || minor < MINIMUM.minor) {
    return { available: false, reason: `${needed}: this one is ${major}.${minor}` };
  }
  return environmentFor(interpreter, env);
}

async function environmentFor(interpreter: Interpreter, env: NodeJS.ProcessEnv): Promise<DaskPython> {
  const hash = createHash('sha256');
  hash.update(await readFile(REQUIREMENTS)).update(JSON.stringify(interpreter));
  const parent = join(cacheFolder(env), 'python');
  const link = join(parent, hash.digest('hex').slice(0, 12));
  const bin = join(link, 'bin');
  if (await exists(join(bin, 'dask'))) return { available: true, bin };
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(`${link}-`);
  try {
    await install(folder, env);
    // A virtual environment cannot be moved, so the name that says it is complete is a link, set at the end.
    await symlink(basename(folder), `${folder}.link`);
    await rename(`${folder}.link`, link);
    return { available: true, bin };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    return {
      available: false,
      reason: `pip could not install ${basename(REQUIREMENTS)}: ${lastLine(error)}`,
    };
  }
}

async function install(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  process.stderr.write(`dask: making a virtual environment in ${folder} (once)\n`);
  const options = { env, timeout: INSTALL_TIMEOUT_MS };
  await run('python3', ['-m', 'venv', folder], options);
  // Wheels only: building from source would take a compiler and minutes.
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-input',
    '--disable-pip-version-check',
    '--only-binary',
    ':all:',
    '-r',
    REQUIREMENTS,
  ];
  await run(join(folder, 'bin', 'python'), pip, options);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The last line of what a failed program said: the one with the reason. */
function lastLine(error: unknown): string {
  const { stderr, message } = error as { readonly stderr?: string; readonly message: string };
  return ((stderr ?? '').trim() || message).split('\n').at(-1) ?? message;
}
