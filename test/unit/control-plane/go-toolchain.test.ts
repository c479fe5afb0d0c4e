import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findGo, goEnvironment, isOlder } from '../../../src/control-plane/go-toolchain.ts';
import { fakeExecutable } from './fake-executable.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const never = new AbortController().signal;

test.for([
  ['1.20.14', '1.21', true],
  ['1.21', '1.21', false],
  ['1.9', '1.21', true],
  ['1.26.8', '1.26', false],
  ['2.0', '1.26', false],
] as const)('%s older than %s: %s', ([a, b, older]) => {
  expect(isOlder(a, b)).toBe(older);
});

test('Go is asked in another home, and its default module cache is that of the user', async () => {
  const folder = await temporaryFolder();
  await fakeExecutable(
    folder,
    'go',
    `test "$*" = "env -json GOVERSION GOMODCACHE GOPROXY" || exit 1
echo "{\\"GOVERSION\\": \\"go1.25.1 X:nocoverageredesign\\", \\"GOMODCACHE\\": \\"$HOME/go/pkg/mod\\", \\"GOPROXY\\": \\"https://$(basename "$GOENV")\\"}"`,
  );
  const home = join(folder, 'home');
  expect(await findGo({ PATH: `${folder}:/usr/bin:/bin`, HOME: home }, never)).toEqual({
    version: '1.25.1',
    moduleCache: join(home, 'go/pkg/mod'),
    proxy: 'https://env',
  });
  expect(await readdir(folder)).toEqual(['go']);
});

test('no Go on PATH, or one that does not work, is no error', async () => {
  const folder = await temporaryFolder();
  expect(await findGo({ PATH: folder }, never)).toBeUndefined();
  await fakeExecutable(folder, 'go', 'echo "no version is set"; exit 126');
  expect(await findGo({ PATH: folder }, never)).toBeUndefined();
});

test('the user’s own settings of Go keep their effect in the other home', () => {
  const env = { HOME: '/home/me', GOENV: '/etc/goenv', GOPROXY: 'https://goproxy.test', GOFLAGS: '-v' };
  expect(goEnvironment(env, '/build/home')).toMatchObject({
    HOME: '/build/home',
    XDG_CONFIG_HOME: '/build/home/.config',
    GOENV: '/etc/goenv',
    GOPROXY: 'https://goproxy.test',
    GOFLAGS: '-v',
    NETRC: '/home/me/.netrc',
    GOWORK: 'off',
  });
});
