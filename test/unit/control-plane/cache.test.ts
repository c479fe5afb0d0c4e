import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cacheFolder, moduleBinFolder, removeCache } from '../../../src/control-plane/cache.ts';
import { type GoModule, moduleOf } from '../../../src/control-plane/versions.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test.for([
  [{ XDG_CACHE_HOME: '/x/cache', HOME: '/home/me' }, '/x/cache/daskwarden'],
  [{ XDG_CACHE_HOME: 'relative', HOME: '/home/me' }, '/home/me/.cache/daskwarden'],
  [{ XDG_CACHE_HOME: '', HOME: '/home/me' }, '/home/me/.cache/daskwarden'],
  [{ HOME: '/home/me' }, '/home/me/.cache/daskwarden'],
] as const)('with %o the cache is %s', ([env, folder]) => {
  expect(cacheFolder(env)).toBe(folder);
});

test('the folder of a module changes with its version and with the flags of its build', async () => {
  const env = { XDG_CACHE_HOME: '/x' };
  const kubernetes = moduleOf('kubectl');
  const folder = await moduleBinFolder(kubernetes, env);
  expect(folder).toMatch(
    new RegExp(`^/x/daskwarden/bin/kubernetes-v1\\.36\\.3-${process.platform}-${process.arch}-[0-9a-f]{12}$`),
  );
  const other = (change: Partial<GoModule>): Promise<string> =>
    moduleBinFolder({ ...kubernetes, ...change }, env);
  expect(await other({})).toBe(folder);
  expect(await other({ version: 'v1.36.4' })).not.toBe(folder);
  expect(await other({ linkerValues: [] })).not.toBe(folder);
});

test('removing the cache removes what was built and leaves what others put beside it', async () => {
  const root = await temporaryFolder();
  const folder = join(root, 'daskwarden');
  const env = { XDG_CACHE_HOME: root };
  await mkdir(join(folder, 'bin', 'etcd-v1'), { recursive: true });
  await mkdir(join(folder, 'build', 'area-1'), { recursive: true });
  await writeFile(join(folder, 'mine'), '');
  await removeCache(env);
  expect(await readdir(folder)).toEqual(['mine']);
});

test('removing the cache twice is no error, and the emptied folder goes as well', async () => {
  const root = await temporaryFolder();
  const env = { XDG_CACHE_HOME: root };
  await mkdir(join(root, 'daskwarden', 'bin'), { recursive: true });
  await removeCache(env);
  await removeCache(env);
  expect(await readdir(root)).toEqual([]);
});
