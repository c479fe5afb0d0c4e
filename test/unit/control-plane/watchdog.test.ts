import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { processIdentity } from '../../../src/control-plane/process-identity.ts';
import { poll } from '../../support/poll.ts';
import type { Guarded } from './guarded-parent.ts';

// Longer than any poll, so that a poll that fails gets to print the last state.
vi.setConfig({ testTimeout: 30_000 });

interface Parent {
  readonly guarded: Guarded;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<unknown>;
}

async function startParent(ending: string): Promise<Parent> {
  const program = fileURLToPath(new URL('./guarded-parent.ts', import.meta.url));
  const child = spawn(process.execPath, [program, ending], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { guarded: JSON.parse(line) as Guarded, kill: (signal) => child.kill(signal), ended };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** What is left of the child, the folder and the watchdog itself. */
async function leftOf({ pid, watchdogPid, folder }: Guarded): Promise<string[]> {
  const left: string[] = [];
  if ((await processIdentity(pid)) !== undefined) left.push('child');
  if (await exists(folder)) left.push('folder');
  if ((await processIdentity(watchdogPid)) !== undefined) left.push('watchdog');
  return left;
}

const allThere = ['child', 'folder', 'watchdog'];

test.for(['SIGKILL', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'after %s of the parent neither child nor folder nor watchdog is left',
  async (signal) => {
    const parent = await startParent('wait');
    expect(await leftOf(parent.guarded)).toEqual(allThere);
    parent.kill(signal);
    await parent.ended;
    await poll(
      'nothing to be left',
      () => leftOf(parent.guarded),
      (left) => left.length === 0,
    );
  },
);

test.for(['throw', 'exit'])('when the parent ends by "%s" nothing is left', async (ending) => {
  const parent = await startParent(ending);
  await parent.ended;
  await poll(
    'nothing to be left',
    () => leftOf(parent.guarded),
    (left) => left.length === 0,
  );
});

test('after a proper stop nothing is left by the time the parent ends', async () => {
  const parent = await startParent('stop');
  await parent.ended;
  expect(await leftOf(parent.guarded)).toEqual([]);
});

test('a signal to the watchdog does not end it before its work is done', async () => {
  const parent = await startParent('wait');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.kill(parent.guarded.watchdogPid, signal);
  }
  parent.kill('SIGKILL');
  await poll(
    'nothing to be left',
    () => leftOf(parent.guarded),
    (left) => left.length === 0,
  );
});
