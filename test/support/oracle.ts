import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { cacheFolder } from '../../src/control-plane/cache.ts';
import { findGo, GO_NEEDED, isOlder } from '../../src/control-plane/go-toolchain.ts';

const run = promisify(execFile);

/** What `oracle check` says of one cluster. */
export interface OracleVerdict {
  readonly allowed: boolean;
  /** `<field path>: <reason>`. */
  readonly errors?: readonly string[];
  /** Why the JSON does not fit the types; everything else then says nothing. */
  readonly decode?: string;
}

export interface OracleOptions {
  /** Told of a build, one line. */
  readonly report?: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
}

const FOLDER = join(import.meta.dirname, '..', 'oracle');
const SOURCES = ['main.go', 'go.mod', 'go.sum'] as const;
const FLAGS = ['-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags=-s -w'] as const;
/** A first build compiles the API server's validation with all that it needs. */
const BUILD_TIMEOUT_MS = 20 * 60_000;

/** The executable, built where its sources have none in the cache yet; Go's own caches make a second build short. */
export async function oracleBinary({
  report = () => undefined,
  env = process.env,
}: OracleOptions = {}): Promise<string> {
  const sources = await Promise.all(SOURCES.map((name) => readFile(join(FOLDER, name))));
  const hash = createHash('sha256');
  for (const source of [...sources, FLAGS.join(' ')]) hash.update(source).update('\0');
  const key = ['oracle', process.platform, process.arch, hash.digest('hex').slice(0, 12)].join('-');
  const binary = join(cacheFolder(env), 'bin', key, 'oracle');
  if (!existsSync(binary)) {
    report('building the oracle: some minutes the first time');
    await build(binary, env);
  }
  return binary;
}

async function build(binary: string, env: NodeJS.ProcessEnv): Promise<void> {
  const go = await findGo(env, AbortSignal.timeout(30_000));
  if (go === undefined) throw new Error(`oracle: there is no Go to build it: install Go ${GO_NEEDED}`);
  const folder = join(binary, '..');
  await mkdir(folder, { recursive: true });
  const area = await mkdtemp(`${folder}.`);
  try {
    const output = join(area, 'oracle');
    await run('go', ['build', ...FLAGS, '-o', output, '.'], {
      cwd: FOLDER,
      timeout: BUILD_TIMEOUT_MS,
      env: {
        ...env,
        ...(isOlder(go.version, GO_NEEDED) && { GOTOOLCHAIN: 'auto' }),
        CGO_ENABLED: '0',
        GOFLAGS: '',
        GOWORK: 'off',
      },
    });
    await rename(output, binary);
  } finally {
    await rm(area, { recursive: true, force: true });
  }
}

/** The verdicts on clusters, in their order. */
export async function askOracle(clusters: readonly object[]): Promise<readonly OracleVerdict[]> {
  const child = spawn(await oracleBinary(), ['check'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const verdicts: OracleVerdict[] = [];
  const read = async (): Promise<void> => {
    for await (const line of createInterface({ input: child.stdout })) {
      verdicts.push(JSON.parse(line) as OracleVerdict);
    }
  };
  const lines = Readable.from(clusters).map((cluster: object) => `${JSON.stringify(cluster)}\n`);
  await Promise.all([pipeline(lines, child.stdin), read()]);
  if (verdicts.length !== clusters.length) {
    throw new Error(`oracle: ${String(verdicts.length)} verdicts on ${String(clusters.length)} clusters`);
  }
  return verdicts;
}

/** The fields that errors of a verdict are about. */
export function pathsOf(errors: readonly string[] = []): readonly string[] {
  return errors.map((error) => /^(?:[^:[]|\[[^\]]*\])*/.exec(error)?.[0] ?? '');
}
