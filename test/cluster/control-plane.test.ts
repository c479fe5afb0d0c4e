import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
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
  return startControlPlane({ binaries, report, signal: never, ...change });
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

describe('a second control plane', () => {
  const lines: string[] = [];
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await another({ report: (line) => lines.push(line) });
  });
  afterAll(() => plane.stop());

  test('runs beside the first and shares nothing with it', async () => {
    expect(plane.server).not.toBe(inject('server'));
    expect(plane.caPem).not.toBe(inject('caPem'));
    const created = await plane.kubectl(['create', 'namespace', 'only-here']);
    expect(created).toEqual({ code: 0, stdout: 'namespace/only-here created\n', stderr: '' });
    expect(await kubectlGet(['namespace', 'only-here'])).toBeUndefined();
    const nodes = await plane.kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}']);
    expect(nodes.stdout).toBe('fake-node');
  });

  test('has its API server back on its port after a restart, with what it had stored', async () => {
    await plane.kubectl(['create', 'namespace', 'kept']);
    const { server } = plane;
    const before = plane.pidOf('kube-apiserver');
    await plane.restart('kube-apiserver', never);
    expect(plane.server).toBe(server);
    expect(plane.pidOf('kube-apiserver')).not.toBe(before);
    expect((await plane.kubectl(['get', 'namespace', 'kept', '-o', 'name'])).stdout).toBe('namespace/kept\n');
  });

  test('reports a component that ends by itself, and nothing of the restart that was asked for', async () => {
    process.kill(plane.pidOf('kube-scheduler'), 'SIGKILL');
    await poll(
      'the report',
      () => Promise.resolve(lines.at(-1)),
      (line) => line?.startsWith('kube-scheduler ended by itself: signal SIGKILL.') === true,
    );
    expect(lines.filter((line) => line.includes('ended by itself'))).toHaveLength(1);
  });

  test('leaves neither process nor folder when it is stopped, twice at once, and the first lives on', async () => {
    const pids = COMPONENTS.map((component) => plane.pidOf(component));
    await Promise.all([plane.stop(), plane.stop()]);
    expect(await livingOf(pids)).toEqual([]);
    expect(await exists(plane.directory)).toBe(false);
    expect((await kubectlOk(['get', 'nodes', '-o', 'name'])).trim()).toBe('node/fake-node');
  });
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
