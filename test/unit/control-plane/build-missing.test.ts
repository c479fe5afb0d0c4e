import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { buildMissing } from '../../../src/control-plane/build-missing.ts';
import { ControlPlaneError } from '../../../src/control-plane/errors.ts';
import type { GoToolchain } from '../../../src/control-plane/go-toolchain.ts';
import { locateAll } from '../../../src/control-plane/locate.ts';
import { processIdentity } from '../../../src/control-plane/process-identity.ts';
import type { BinaryName } from '../../../src/control-plane/versions.ts';
import { poll } from '../../support/poll.ts';
import { fakeBinary, fakeGo, type GoCall } from './fake-go.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Longer than any poll, so that a poll that fails gets to print the last state.
vi.setConfig({ testTimeout: 30_000 });

const never = new AbortController().signal;
const go: GoToolchain = {
  version: '1.26.8',
  moduleCache: '/home/me/go/pkg/mod',
  proxy: 'https://proxy.test,direct',
};

interface Workshop {
  readonly env: NodeJS.ProcessEnv;
  readonly cache: string;
  readonly root: string;
  readonly lines: string[];
  readonly calls: () => Promise<GoCall[]>;
  readonly build: (signal?: AbortSignal, toolchain?: GoToolchain) => Promise<void>;
}

/** A machine whose KUBEBUILDER_ASSETS hold `present`, with a fake Go. */
async function workshop(present: readonly BinaryName[], onBuild?: string): Promise<Workshop> {
  const root = await temporaryFolder();
  const assets = join(root, 'assets');
  for (const name of present) await fakeBinary(assets, name);
  const { calls } = await fakeGo(join(root, 'bin'), onBuild);
  const env = {
    PATH: `${join(root, 'bin')}:/usr/bin:/bin`,
    HOME: join(root, 'home'),
    XDG_CACHE_HOME: join(root, 'cache'),
    KUBEBUILDER_ASSETS: assets,
  };
  const lines: string[] = [];
  const report = (line: string): void => {
    lines.push(line);
  };
  const build = (signal = never, toolchain = go): Promise<void> =>
    buildMissing(toolchain, { env, report, signal });
  return { env, root, cache: join(root, 'cache', 'daskwarden'), lines, calls, build };
}

const ALL_BUT_ETCD = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kwok',
] as const;

test('with envtest’s three only the other three are built, each module in one call', async () => {
  const { env, root, cache, lines, calls, build } = await workshop(['etcd', 'kube-apiserver', 'kubectl']);
  await build();

  const locations = await locateAll(env);
  expect(locations.map(({ found }) => found?.origin)).toEqual([
    'KUBEBUILDER_ASSETS',
    'KUBEBUILDER_ASSETS',
    'cache',
    'cache',
    'KUBEBUILDER_ASSETS',
    'cache',
  ]);
  const builds = (await calls()).filter(({ args }) => args.startsWith('build '));
  expect(builds.map(({ args }) => args.split(' ').filter((arg) => /^[\w.]+\/.*\/cmd\//.test(arg)))).toEqual([
    ['k8s.io/kubernetes/cmd/kube-controller-manager', 'k8s.io/kubernetes/cmd/kube-scheduler'],
    ['sigs.k8s.io/kwok/cmd/kwok'],
  ]);
  expect(builds[0]?.args).toContain('-ldflags=-s -w -X k8s.io/component-base/version.gitVersion=v1.36.3 -X ');
  expect(lines.slice(0, 2)).toEqual([
    'kubernetes v1.36.3: fetching modules',
    'kubernetes v1.36.3: compiling 3 packages for kube-controller-manager, kube-scheduler',
  ]);
  expect(await readdir(join(cache, 'build'))).toEqual([]);
  expect((await readdir(cache)).toSorted()).toEqual(['bin', 'build']);
  expect((await readdir(root)).toSorted()).toEqual(['assets', 'bin', 'cache']);
});

test('Go builds with caches of its own, reads the user’s modules first, and needs no C compiler', async () => {
  const { cache, calls, build } = await workshop(ALL_BUT_ETCD);
  await build();
  const { args, env } = (await calls()).find((call) => call.args.startsWith('build '))!;
  expect(env['GOPROXY']).toBe('file:///home/me/go/pkg/mod/cache/download,https://proxy.test,direct');
  expect(env['CGO_ENABLED']).toBe('0');
  expect(env['GOTOOLCHAIN']).toBe('');
  for (const name of ['HOME', 'GOCACHE', 'GOMODCACHE']) expect(env[name]).toContain(`${cache}/build/area-`);
  for (const flag of ['-mod=readonly', '-trimpath', '-modcacherw', '-buildvcs=false'])
    expect(args).toContain(flag);
});

test('an older Go may fetch the toolchain that the modules need', async () => {
  const { calls, build } = await workshop(ALL_BUT_ETCD);
  await build(never, { ...go, version: '1.22.1' });
  expect((await calls()).map(({ env }) => env['GOTOOLCHAIN'])).toEqual(['auto', 'auto']);
});

test('a failed build ends with Go’s own words and leaves neither files nor the lock', async () => {
  const { cache, build } = await workshop(ALL_BUT_ETCD, 'echo "cannot find module"; exit 1');
  const failure = build();
  await expect(failure).rejects.toThrow(ControlPlaneError);
  await expect(failure).rejects.toThrow(
    'go build in etcd failed with exit code 1. The end of its output:\ncannot find module',
  );
  expect(await readdir(cache)).toEqual(['build']);
  expect(await readdir(join(cache, 'build'))).toEqual([]);
});

test('an abort ends Go and what it has started, and leaves nothing', async () => {
  const { root, cache, build } = await workshop(
    ALL_BUT_ETCD,
    'sleep 60 & echo $! > "${0%/bin/go}/pid"; wait',
  );
  const abort = new AbortController();
  const failure = build(abort.signal);
  const pid = await poll(
    'Go to compile',
    async () => Number(await readFile(join(root, 'pid'), 'utf8')),
    (read) => read > 0,
  );
  expect(await processIdentity(pid)).toBeDefined();
  abort.abort(new Error('Ctrl-C'));
  await expect(failure).rejects.toThrow('Ctrl-C');
  await poll(
    'the compiler to be gone',
    () => processIdentity(pid),
    (identity) => identity === undefined,
  );
  expect(await readdir(join(cache, 'build'))).toEqual([]);
});

test('when the building process is killed, Go, the half-done build and the lock are gone as well', async () => {
  const { root, cache, env } = await workshop(ALL_BUT_ETCD, 'sleep 60 & echo $! > "${0%/bin/go}/pid"; wait');
  const program = fileURLToPath(new URL('./building-parent.ts', import.meta.url));
  const parent = spawn(process.execPath, [program], { env, stdio: 'ignore' });
  onTestFinished(() => {
    parent.kill('SIGKILL');
  });
  const pid = await poll(
    'Go to compile',
    async () => Number(await readFile(join(root, 'pid'), 'utf8')),
    (read) => read > 0,
  );
  expect((await readdir(cache)).toSorted()).toEqual(['build', 'build.lock']);
  parent.kill('SIGKILL');
  await poll(
    'nothing to be left',
    async () => [await processIdentity(pid), await readdir(cache), await readdir(join(cache, 'build'))],
    (left) => JSON.stringify(left) === '[null,["build"],[]]',
  );
});

test('two builds at once do the work once', async () => {
  const first = await workshop(ALL_BUT_ETCD, 'sleep 1');
  await Promise.all([first.build(), first.build()]);
  expect(first.lines).toContain(`waiting for the build of process ${process.pid}`);
  const builds = (await first.calls()).filter(({ args }) => args.startsWith('build '));
  expect(builds).toHaveLength(1);
});

test('the lock of a process that is gone is taken over', async () => {
  const { cache, lines, calls, build } = await workshop(ALL_BUT_ETCD);
  await mkdir(join(cache, 'build.lock'), { recursive: true });
  // The pid lives, but it is not the process that took the lock.
  await writeFile(
    join(cache, 'build.lock', 'holder.json'),
    JSON.stringify({ pid: process.pid, identity: 'another start' }),
  );
  await build();
  expect(lines.some((line) => line.startsWith('waiting'))).toBe(false);
  expect(await calls()).toHaveLength(2);
  expect((await readdir(cache)).toSorted()).toEqual(['bin', 'build']);
});

test('a cache that cannot be written is named with the way out', async () => {
  const { root, env } = await workshop(ALL_BUT_ETCD);
  await writeFile(join(root, 'cache'), 'not a folder');
  const failure = buildMissing(go, { env, report: () => undefined, signal: never });
  await expect(failure).rejects.toThrow(
    /^The cache .*\/cache\/daskwarden\/build cannot be written \(.*\): set XDG/,
  );
});
