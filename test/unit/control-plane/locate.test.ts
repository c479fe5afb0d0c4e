import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { moduleBinFolder } from '../../../src/control-plane/cache.ts';
import { locate } from '../../../src/control-plane/locate.ts';
import { moduleOf } from '../../../src/control-plane/versions.ts';
import { fakeExecutable } from './fake-executable.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Places {
  readonly env: NodeJS.ProcessEnv;
  readonly assets: string;
  readonly cache: string;
  readonly path: string;
}

async function places(): Promise<Places> {
  const root = await temporaryFolder();
  const assets = join(root, 'assets');
  const path = join(root, 'path');
  const env = { KUBEBUILDER_ASSETS: assets, XDG_CACHE_HOME: join(root, 'cache'), PATH: path };
  return { env, assets, path, cache: await moduleBinFolder(moduleOf('etcd'), env) };
}

const etcd = (version: string): string => `echo "etcd Version: ${version}"`;

test('KUBEBUILDER_ASSETS comes before the cache, the cache before PATH', async () => {
  const { env, assets, cache, path } = await places();
  expect(await locate('etcd', env)).toEqual({ binary: 'etcd', passedOver: [] });

  const onPath = await fakeExecutable(path, 'etcd', etcd('3.6.2'));
  expect((await locate('etcd', env)).found).toEqual({ path: onPath, origin: 'PATH', version: '3.6.2' });

  const cached = await fakeExecutable(cache, 'etcd', 'exit 1');
  expect((await locate('etcd', env)).found).toEqual({ path: cached, origin: 'cache', version: '3.6.16' });

  const asset = await fakeExecutable(assets, 'etcd', etcd('3.5.1'));
  expect((await locate('etcd', env)).found).toEqual({
    path: asset,
    origin: 'KUBEBUILDER_ASSETS',
    version: '3.5.1',
  });
});

test('each executable is looked for by itself: the three of envtest leave three to find elsewhere', async () => {
  const { env, assets } = await places();
  await fakeExecutable(assets, 'kubectl', 'echo "Client Version: v1.36.1"');
  expect((await locate('kubectl', env)).found?.version).toBe('1.36.1');
  expect((await locate('kube-scheduler', env)).found).toBeUndefined();
});

test('an executable on PATH counts only when it is of the pinned minor release, and a later one may be', async () => {
  const { env, path } = await places();
  const other = join(path, 'other');
  const old = await fakeExecutable(path, 'kube-apiserver', 'echo "Kubernetes v1.35.9"');
  const right = await fakeExecutable(other, 'kube-apiserver', 'echo "Kubernetes v1.36.0"');
  const location = await locate('kube-apiserver', { ...env, PATH: `${path}:relative:${other}` });
  expect(location.found).toEqual({ path: right, origin: 'PATH', version: '1.36.0' });
  expect(location.passedOver).toEqual([`${old} is 1.35.9, not 1.36`]);
});

test('what cannot be run here is passed over with the reason', async () => {
  const { env, assets, path } = await places();
  const broken = await fakeExecutable(assets, 'kwok', 'exit 3');
  const silent = await fakeExecutable(path, 'kwok', 'echo kwok');
  await mkdir(join(path, 'etcd'));
  expect(await locate('kwok', env)).toEqual({
    binary: 'kwok',
    passedOver: [`${broken} does not tell its version`, `${silent} does not tell its version`],
  });
  expect(await locate('etcd', env)).toEqual({ binary: 'etcd', passedOver: [] });
});

test('an executable that is asked for its version sees neither the home folder nor the kubeconfig', async () => {
  const { env, path } = await places();
  await fakeExecutable(path, 'kubectl', 'test -z "$KUBECONFIG" && test "$HOME" != /home/me && echo v1.36.0');
  const location = await locate('kubectl', { ...env, HOME: '/home/me', KUBECONFIG: '/home/me/.kube/config' });
  expect(location.found?.version).toBe('1.36.0');
});
