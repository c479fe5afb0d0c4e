import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addCounts, countsOf, NOTHING, summary, type Counts } from './support/counts.ts';

/**
 * Runs parts of the test suite, each within its budget, and prints what each of them counted:
 *
 *     node test/run.ts default | all | ci | <part>
 */
interface Part {
  readonly name: string;
  readonly what: string;
  readonly budgetMinutes: number;
  readonly command: readonly string[];
  /** Vitest reports its own counts; any other command counts as one test. */
  readonly vitest: boolean;
}

const root = join(import.meta.dirname, '..');
const bin = (name: string): string => join(root, 'node_modules', '.bin', name);

function vitest(name: string, what: string, budgetMinutes: number, ...flags: string[]): Part {
  const words = [bin('vitest'), 'run', '--project', name, ...flags];
  return { name, what, budgetMinutes, vitest: true, command: words };
}

function command(name: string, what: string, budgetMinutes: number, ...words: string[]): Part {
  return { name, what, budgetMinutes, vitest: false, command: words };
}

const node = process.execPath;
const PARTS: readonly Part[] = [
  command('lint', 'ESLint with the import arrows', 2, bin('eslint'), '.'),
  command('format', 'Prettier', 1, bin('prettier'), '--check', '--log-level', 'warn', '.'),
  command('types', 'the type check', 1, bin('tsc'), '--noEmit'),
  command('crd', 'the committed CRD is what its script makes', 1, node, 'crds/generate.ts', '--check'),
  vitest('unit', 'one module at a time, every branch of the rules', 2, '--coverage'),
  vitest('property', 'laws, on random input', 1),
  vitest('cluster', 'a real control plane', 4),
  vitest('fidelity', "our verdicts and Kubernetes' own, on random manifests", 5),
  vitest('endurance', 'admissions while replicas and certificates are replaced', 4),
  vitest('fuzz', 'whatever is sent, a valid answer in time', 2),
  command(
    'podcheck',
    'the committed WebAssembly is what its sources build',
    8,
    node,
    'webhooks/podcheck/build.ts',
    '--check',
  ),
  vitest('dask', 'the rendered commands, run by real Dask processes', 5),
  command('build', 'the published JavaScript', 1, node, 'test/published.ts'),
  vitest('demo', 'the guided tour, here and on an existing cluster', 4),
];

const SETS: Readonly<Record<string, readonly string[]>> = {
  default: ['unit', 'property', 'cluster'],
  all: [
    ...['unit', 'property', 'cluster', 'fidelity', 'endurance', 'fuzz'],
    ...['podcheck', 'dask', 'build', 'demo'],
  ],
  ci: PARTS.map(({ name }) => name),
};

interface Result {
  readonly part: Part;
  readonly counts: Counts;
  readonly seconds: number;
}

async function run(part: Part, folder: string): Promise<Result> {
  const budget = `${String(part.budgetMinutes)} min`;
  console.log(`\n=== ${part.name}: ${part.what} (budget ${budget})`);
  const report = join(folder, `${part.name}.json`);
  const extra = part.vitest ? ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`] : [];
  const startedAt = performance.now();
  const ok = await succeeds([...part.command, ...extra]);
  const seconds = (performance.now() - startedAt) / 1000;
  if (seconds > part.budgetMinutes * 60) console.log(`${part.name} took longer than its budget of ${budget}`);
  const counts = part.vitest
    ? countsOf(await readFile(report, 'utf8').catch(() => ''), ok)
    : { ...NOTHING, [ok ? 'passed' : 'failed']: 1 };
  return { part, counts, seconds };
}

/** The child is in the foreground group: a Ctrl-C reaches it, and this process stays until it has cleaned up. */
function succeeds([program = '', ...args]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: 'inherit' });
    const stops = (['SIGTERM', 'SIGHUP'] as const).map((signal) => {
      const stop = (): void => void child.kill(signal);
      process.on(signal, stop);
      return () => process.off(signal, stop);
    });
    child.on('close', () => {
      for (const forget of stops) forget();
    });
    child.on('error', (error) => {
      console.error(`${program} could not be started: ${error.message}`);
      resolve(false);
    });
    child.on('exit', (code) => {
      resolve(code === 0);
    });
  });
}

async function main(): Promise<number> {
  const wanted = process.argv[2] ?? 'default';
  const names = SETS[wanted] ?? [wanted];
  const parts = PARTS.filter(({ name }) => names.includes(name));
  if (parts.length === 0) {
    const known = [...Object.keys(SETS), ...PARTS.map(({ name }) => name)].join(', ');
    console.error(`no part of the tests is called '${wanted}'; there are: ${known}`);
    return 2;
  }
  process.on('SIGINT', () => undefined);
  const folder = await mkdtemp(join(tmpdir(), 'daskwarden-test-'));
  try {
    const results: Result[] = [];
    for (const part of parts) results.push(await run(part, folder));
    console.log('');
    for (const { part, counts, seconds } of results) {
      console.log(`${part.name.padEnd(9)} ${summary(counts)} (${seconds.toFixed(1)} s)`);
    }
    const total = results.map(({ counts }) => counts).reduce(addCounts, NOTHING);
    console.log(summary(total));
    return total.failed === 0 && total.passed > 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
