import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { devNull, homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withoutProxyForLoopback } from './child-environment.ts';

const run = promisify(execFile);

/** What our modules ask for; an older Go fetches such a toolchain by itself, unless it is older than GO_OLDEST. */
export const GO_NEEDED = '1.26';
export const GO_OLDEST = '1.21';

/** The user's Go, as `go env` describes it. */
export interface GoToolchain {
  /** `1.26.8` */
  readonly version: string;
  /** Where the user's Go keeps downloaded modules. It is read, never written. */
  readonly moduleCache: string;
  /** GOPROXY; may hold credentials. */
  readonly proxy: string;
}

/** @returns undefined when there is no working `go` on PATH. */
export async function findGo(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<GoToolchain | undefined> {
  try {
    const { stdout } = await run('go', ['env', '-json', 'GOVERSION', 'GOMODCACHE', 'GOPROXY'], {
      cwd: '/',
      // A home that cannot be written; what Go derives from it is mapped back.
      env: { ...goEnvironment(env, devNull), GOTOOLCHAIN: 'local' },
      signal,
    });
    const answer = JSON.parse(stdout) as Record<'GOVERSION' | 'GOMODCACHE' | 'GOPROXY', string>;
    return {
      version: /\d+(\.\d+)+/.exec(answer.GOVERSION)?.[0] ?? answer.GOVERSION,
      moduleCache: answer.GOMODCACHE.replace(devNull, homeOf(env)),
      proxy: answer.GOPROXY,
    };
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** Turns Go's counting of its calls off in `home`: a process of its own would write there after Go's end. */
export async function prepareGoHome(home: string): Promise<void> {
  const folder = join(configFolder({ HOME: home }), 'go', 'telemetry');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'mode'), 'off\n');
}

/**
 * The user's environment with another home: Go writes counters and caches to the home folder, which is not ours to
 * write. The user's settings keep their effect.
 * @param home a folder that {@link prepareGoHome} has prepared, or one that cannot be written.
 */
export function goEnvironment(env: NodeJS.ProcessEnv, home: string): NodeJS.ProcessEnv {
  const userHome = homeOf(env);
  return {
    GOENV: join(configFolder(env), 'go', 'env'),
    NETRC: join(userHome, '.netrc'),
    GIT_CONFIG_GLOBAL: join(userHome, '.gitconfig'),
    ...env,
    ...withoutProxyForLoopback(env),
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    GOWORK: 'off',
  };
}

/** Whether version `a` is older than `b`, by major and minor number. */
export function isOlder(a: string, b: string): boolean {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number);
  const [majorB = 0, minorB = 0] = b.split('.').map(Number);
  return majorA < majorB || (majorA === majorB && minorA < minorB);
}

function homeOf(env: NodeJS.ProcessEnv): string {
  return env['HOME'] ?? homedir();
}

function configFolder(env: NodeJS.ProcessEnv): string {
  if (process.platform === 'darwin') return join(homeOf(env), 'Library', 'Application Support');
  const configured = env['XDG_CONFIG_HOME'] ?? '';
  return configured === '' ? join(homeOf(env), '.config') : configured;
}
