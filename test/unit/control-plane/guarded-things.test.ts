import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { GuardedThings } from '../../../src/control-plane/guarded-things.ts';
import { processIdentity } from '../../../src/control-plane/process-identity.ts';
import { poll } from '../../support/poll.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function sleeper(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child as ChildProcess & { readonly pid: number };
}

test('a guarded process and a guarded folder with its content are ended', async () => {
  const root = await temporaryFolder();
  const folder = join(root, 'mine');
  await mkdir(join(folder, 'deep'), { recursive: true });
  const child = await sleeper();
  const ended = once(child, 'exit');
  const things = new GuardedThings();
  await things.add({ pid: child.pid });
  await things.add({ folder });
  await things.end();
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(await readdir(root)).toEqual([]);
});

test('a process that has got the pid of a guarded one lives on', async () => {
  const child = await sleeper();
  const identities = ['started at noon', 'started at one'];
  const things = new GuardedThings(() => Promise.resolve(identities.shift()));
  await things.add({ pid: child.pid });
  await things.end();
  expect(identities).toEqual([]);
  expect(await processIdentity(child.pid)).toBeDefined();
  expect(child.signalCode).toBeNull();
});

test('a folder that somebody has put in the place of a guarded one stays', async () => {
  const root = await temporaryFolder();
  const folder = join(root, 'guarded');
  await mkdir(folder);
  const things = new GuardedThings();
  await things.add({ folder });
  await rename(folder, join(root, 'moved'));
  await mkdir(folder);
  await writeFile(join(folder, 'theirs'), '');
  await things.end();
  expect(await readdir(folder)).toEqual(['theirs']);
});

test('things that are gone already are no error', async () => {
  const root = await temporaryFolder();
  const folder = join(root, 'gone');
  await mkdir(folder);
  const child = await sleeper();
  const things = new GuardedThings();
  await things.add({ pid: child.pid });
  await things.add({ folder });
  await things.add({ folder: join(root, 'never was') });
  await rename(folder, join(root, 'moved'));
  child.kill('SIGKILL');
  await once(child, 'exit');
  await things.end();
  expect(await readdir(root)).toEqual(['moved']);
});

test('the identity of a process stays the same, differs from others, and ends with it', async () => {
  const child = await sleeper();
  const identity = await processIdentity(child.pid);
  expect(identity).toBeDefined();
  expect(await processIdentity(child.pid)).toBe(identity);
  expect(await processIdentity(process.pid)).not.toBe(identity);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await processIdentity(child.pid)).toBeUndefined();
});

test('a process that has ended and is not collected has no identity', async () => {
  // The shell leaves a child behind that the program which takes its place never collects.
  const child = spawn('/bin/sh', ['-c', 'true & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  await poll(
    'the uncollected process to count as gone',
    () => processIdentity(Number(output.toString())),
    (identity) => identity === undefined,
  );
  expect(await processIdentity(child.pid!)).toBeDefined();
});
