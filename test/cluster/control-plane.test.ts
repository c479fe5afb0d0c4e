import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { COMPONENTS } from '../../src/control-plane/component.ts';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from '../../src/control-plane/control-plane.ts';
import { ControlPlaneError } from '../../src/control-plane/errors.ts';
import { ensureBinaries } from '../../src/control-plane/ensure-binaries.ts';
import { processIdentity } from '../../src/control-plane/process-identity.ts';
import { kubectlApply, kubectlGet, kubectlOk } from '../support/kubectl.ts';
import { freshNamespace } from '../support/namespaces.ts';
import { poll } from '../support/poll.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { HeldControlPlane } from './held-control-plane.ts';

const never = new AbortController().signal;

/** A second control plane beside that of the run. */
async function another(change: Partial<ControlPlaneOptions> = {}): Promise<ControlPlane> {
  const report = (): void => undefined;
  const binaries = await ensureBinaries({ report, signal: never, env: process.env });
  const plane = await startControlPlane({ binaries, report, signal: never, ...change });
  onTestFinished(() => plane.stop());
  return plane;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function livingOf(pids: readonly number[]): Promise<number[]> {
  const identities = await Promise.all(pids.map(async (pid) => [pid, await processIdentity(pid)] as const));
  return identities.filter(([, identity]) => identity !== undefined).map(([pid]) => pid);
}

interface PodView {
  readonly metadata: { readonly uid: string };
  readonly status: { readonly phase: string; readonly podIP?: string };
}

const pod = (namespace: string, name: string, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, ...metadata },
  spec: { containers: [{ name: 'main', image: 'example.test/image:1' }] },
});

test('a pod is scheduled, becomes Running, and is gone after its deletion', async () => {
  const namespace = await freshNamespace();
  const applied = await kubectlApply([pod(namespace, 'one')]);
  expect(applied.stderr).toBe('');
  const running = await poll(
    'the pod to run',
    () => kubectlGet<PodView>(['pod', 'one', '-n', namespace]),
    (found) => found?.status.phase === 'Running',
  );
  expect(running?.status.podIP).toMatch(/^10\.244\./);

  await kubectlOk(['delete', 'pod', 'one', '-n', namespace, '--wait=false']);
  await poll(
    'the pod to be gone',
    () => kubectlGet<PodView>(['pod', 'one', '-n', namespace]),
    (found) => found === undefined,
  );
});

test('what an object owns is collected after it', async () => {
  const namespace = await freshNamespace();
  await kubectlOk(['create', 'configmap', 'owner', '-n', namespace]);
  const owner = await kubectlGet<PodView>(['configmap', 'owner', '-n', namespace]);
  const { uid } = owner!.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  await kubectlApply([pod(namespace, 'owned', { ownerReferences })]);

  await kubectlOk(['delete', 'configmap', 'owner', '-n', namespace]);
  await poll(
    'the owned pod to be collected',
    () => kubectlGet<PodView>(['pod', 'owned', '-n', namespace]),
    (found) => found === undefined,
  );
});

test('a second control plane runs beside the first, shares nothing with it, and leaves nothing', async () => {
  const plane = await another();
  expect(plane.server).not.toBe(inject('server'));
  expect(plane.caPem).not.toBe(inject('caPem'));
  const created = await plane.kubectl(['create', 'namespace', 'only-here']);
  expect(created).toEqual({ code: 0, stdout: 'namespace/only-here created\n', stderr: '' });
  expect(await kubectlGet(['namespace', 'only-here'])).toBeUndefined();
  const nodes = await plane.kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}']);
  expect(nodes.stdout).toBe('fake-node');

  const pids = COMPONENTS.map((component) => plane.pidOf(component));
  expect(await livingOf(pids)).toEqual(pids);
  await Promise.all([plane.stop(), plane.stop()]);
  expect(await livingOf(pids)).toEqual([]);
  expect(await exists(plane.directory)).toBe(false);
  expect((await kubectlOk(['get', 'nodes', '-o', 'name'])).trim()).toBe('node/fake-node');
});

test('the API server comes back on its port after a restart, with what it had stored', async () => {
  const plane = await another({ scheduler: false, kwok: false });
  await plane.kubectl(['create', 'namespace', 'kept']);
  const { server } = plane;
  const before = plane.pidOf('kube-apiserver');
  await plane.restart('kube-apiserver', never);
  expect(plane.server).toBe(server);
  expect(plane.pidOf('kube-apiserver')).not.toBe(before);
  expect((await plane.kubectl(['get', 'namespace', 'kept', '-o', 'name'])).stdout).toBe('namespace/kept\n');
});

test('a component that cannot start is named with its own words, and nothing is left', async () => {
  const temporary = await temporaryFolder();
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const failure = another({ flags: { 'kube-scheduler': ['--no-such-flag'] } });
  await expect(failure).rejects.toThrow(ControlPlaneError);
  await expect(failure).rejects.toThrow(
    /^kube-scheduler did not start: exit code 1\. The end of its log:\n[^]*unknown flag: --no-such-flag/,
  );
  expect(await readdir(temporary)).toEqual([]);
});

test('an abort during the start leaves nothing', async () => {
  const temporary = await temporaryFolder();
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const abort = new AbortController();
  const failure = another({
    signal: abort.signal,
    report: (line) => {
      if (line.startsWith('etcd is ready')) abort.abort(new Error('Ctrl-C'));
    },
  });
  await expect(failure).rejects.toThrow('Ctrl-C');
  expect(await readdir(temporary)).toEqual([]);
});

test('a component that ends by itself later is reported', async () => {
  const lines: string[] = [];
  const plane = await another({ scheduler: false, kwok: false, report: (line) => lines.push(line) });
  process.kill(plane.pidOf('kube-controller-manager'), 'SIGKILL');
  await poll(
    'the report',
    () => Promise.resolve(lines.at(-1)),
    (line) => line?.startsWith('kube-controller-manager ended by itself: signal SIGKILL.') === true,
  );
});

test('when the process that started it is killed, no process and no folder of a control plane is left', async () => {
  const program = fileURLToPath(new URL('./held-control-plane.ts', import.meta.url));
  const holder = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    holder.kill('SIGKILL');
  });
  const [line] = (await once(createInterface({ input: holder.stdout }), 'line')) as [string];
  const { directory, pids } = JSON.parse(line) as HeldControlPlane;
  expect(await livingOf(pids)).toEqual(pids);
  holder.kill('SIGKILL');
  await poll(
    'nothing to be left',
    async () => [await livingOf(pids), await exists(directory)],
    (left) => JSON.stringify(left) === '[[],false]',
  );
});
