import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { kubectl, kubectlOk } from '../support/kubectl.ts';
import { poll } from '../support/poll.ts';

const ROOT = join(import.meta.dirname, '..', '..');

interface Run {
  readonly output: () => string;
  readonly interrupt: () => void;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
  /** All its files, also those of its children, are below it. */
  readonly folder: string;
}

/** What `npm run demo -- …` runs, with a temporary folder of its own to see what is left in it. */
function demo(...args: string[]): Promise<Run> {
  return start('node', 'src/cli/launch.mjs', 'node', 'src/cli/main.ts', 'demo', ...args);
}

async function start(program: string, ...args: string[]): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'demo-test-'));
  const child = spawn(program, args, {
    cwd: ROOT,
    // npm leaves a cache of its own in the temporary folder.
    env: { ...process.env, TMPDIR: folder, NO_COLOR: '1', NODE_DISABLE_COMPILE_CACHE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const stderr = text(child.stderr);
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  const ended = once(child, 'close').then(async ([code]: (number | null)[]) => ({
    code: code ?? null,
    output: output + (await stderr),
  }));
  return {
    folder,
    output: () => output,
    // As a terminal does it: to everybody in the foreground.
    interrupt: () => process.kill(-child.pid!, 'SIGINT'),
    ended,
  };
}

async function expectNothingLeft({ folder }: Run): Promise<void> {
  expect(await readdir(folder)).toEqual([]);
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    processes.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  expect(commands.filter((command) => command.includes(folder))).toEqual([]);
}

test('the tour goes as expected, and leaves nothing', { timeout: 120_000 }, async () => {
  const run = await start('npm', 'run', 'demo');
  const { code, output } = await run.ended;
  expect(output).toContain('all 10 steps as expected');
  expect(code).toBe(0);
  await expectNothingLeft(run);
});

test('Ctrl-C in the middle of the tour ends it and leaves nothing', { timeout: 60_000 }, async () => {
  const run = await demo('--keep');
  await poll(
    'the tour to begin',
    () => Promise.resolve(run.output()),
    (output) => output.includes('1. A cluster'),
    {
      timeoutMs: 40_000,
    },
  );
  run.interrupt();
  const { code } = await run.ended;
  expect(code).toBe(130);
  await expectNothingLeft(run);
});

test(
  'an existing cluster: refused and unchanged where the CRD is already there',
  { timeout: 60_000 },
  async () => {
    await kubectlOk(['apply', '--server-side', '-f', join(ROOT, 'crds', 'daskclusters.yaml')]);
    onTestFinished(async () => {
      await kubectlOk(['delete', 'crd', 'daskclusters.gateway.dask.org']);
    });
    const before = await kubectlOk(['get', 'crd,namespaces,clusterroles', '-o', 'name']);
    const run = await demo('--yes', `--kubeconfig=${inject('kubeconfigPath')}`);
    const { code, output } = await run.ended;
    expect(output).toContain('daskclusters.gateway.dask.org is already there');
    expect(code).toBe(2);
    expect(await kubectlOk(['get', 'crd,namespaces,clusterroles', '-o', 'name'])).toBe(before);
  },
);

test(
  'an existing cluster: nobody to ask, a wrong host, then the tour; nothing stays',
  { timeout: 180_000 },
  async () => {
    const state = [
      'get',
      'crd,namespaces,clusterroles,clusterrolebindings,validatingwebhookconfigurations',
      '-o',
      'name',
    ];
    const before = await kubectlOk(state);
    const kubeconfig = `--kubeconfig=${inject('kubeconfigPath')}`;
    const unasked = await (await demo(kubeconfig)).ended;
    expect(unasked).toMatchObject({
      code: 2,
      output: expect.stringContaining('pass --yes to agree') as string,
    });
    const wrong = await (await demo('--yes', kubeconfig, '--webhook-host=no.such.host.invalid')).ended;
    expect(wrong).toMatchObject({
      code: 2,
      output: expect.stringContaining('name the right one with --webhook-host') as string,
    });
    expect(await kubectlOk(state)).toBe(before);
    const run = await demo('--yes', kubeconfig);
    const { code, output } = await run.ended;
    expect(output).toContain('all 10 steps as expected');
    expect(code).toBe(0);
    expect(await kubectlOk(state)).toBe(before);
    expect((await kubectl(['get', 'dgc'])).stderr).toContain("doesn't have a resource type");
    await expectNothingLeft(run);
  },
);
