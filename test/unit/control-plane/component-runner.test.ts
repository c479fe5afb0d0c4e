import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Component } from '../../../src/control-plane/component.ts';
import { ComponentRunner, type RunningComponent } from '../../../src/control-plane/component-runner.ts';
import { ControlPlaneError } from '../../../src/control-plane/errors.ts';
import { processIdentity } from '../../../src/control-plane/process-identity.ts';
import { BINARIES, type Binaries } from '../../../src/control-plane/versions.ts';
import { Watchdog } from '../../../src/control-plane/watchdog.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Longer than any poll, so that a poll that fails gets to print the last state.
vi.setConfig({ testTimeout: 30_000 });

const never = new AbortController().signal;
const node = Object.fromEntries(BINARIES.map((name) => [name, process.execPath])) as Binaries;

/** A component that listens on its port as a real one does: it prints the error and ends when the port is taken. */
const LISTENER = `
  console.log('flags:', process.argv.slice(2).join(' '));
  require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.1')
    .on('error', (error) => { console.log('listen: ' + error.message + ': address already in use'); process.exit(1); });`;

async function connects(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
  return true;
}

async function runner(binaries: Binaries = node): Promise<ComponentRunner> {
  const directory = await temporaryFolder();
  await mkdir(join(directory, 'logs'));
  const watchdog = await Watchdog.start();
  onTestFinished(() => watchdog.stop());
  return new ComponentRunner({
    directory,
    binaries,
    env: process.env,
    watchdog,
    flags: { 'kube-scheduler': ['--more'] },
  });
}

function scheduler(script: string, change: Partial<Component> = {}): Component {
  return {
    name: 'kube-scheduler',
    args: (port) => ['-e', script, '--', String(port)],
    ready: connects,
    ...change,
  };
}

async function started(of: ComponentRunner, component: Component): Promise<RunningComponent> {
  const running = await of.start(component, never);
  onTestFinished(() => running.process.stop(0));
  return running;
}

test('a component is started with its own and the added flags, and is there once it is ready', async () => {
  const { port, process: child } = await started(await runner(), scheduler(LISTENER));
  expect(await connects(port)).toBe(true);
  expect(await child.log()).toBe('flags: --more\n');
});

test('another port is tried when somebody else has taken the first', async () => {
  const foreign = createServer().listen(0, '127.0.0.1');
  await once(foreign, 'listening');
  onTestFinished(() => {
    foreign.close();
  });
  const taken = (foreign.address() as AddressInfo).port;
  const tried: number[] = [];
  const component = scheduler(LISTENER, {
    args: (port) => {
      tried.push(port);
      return ['-e', LISTENER, '--', String(tried.length === 1 ? taken : port)];
    },
    ready: async (port) => tried.length > 1 && (await connects(port)),
  });
  const { port } = await started(await runner(), component);
  expect(tried).toHaveLength(2);
  expect(port).toBe(tried[1]);
});

test('a component that ends at once is named, with its exit code and the end of its log', async () => {
  const script = "for (let i = 1; i <= 40; i++) console.log('line', i); process.exit(7)";
  const failure = (await runner()).start(scheduler(script), never);
  await expect(failure).rejects.toThrow(ControlPlaneError);
  await expect(failure).rejects.toThrow(
    /^kube-scheduler did not start: exit code 7\. The end of its log:\nline 26\n(line \d+\n)+line 40$/,
  );
});

test('a file that cannot be executed is named', async () => {
  const failure = (await runner({ ...node, 'kube-scheduler': '/nowhere/it' })).start(scheduler(''), never);
  await expect(failure).rejects.toThrow(
    'kube-scheduler: cannot execute /nowhere/it: spawn /nowhere/it ENOENT',
  );
});

test('an abort while a component is not ready yet ends it', async () => {
  const abort = new AbortController();
  const of = await runner();
  let pid = 0;
  const component = scheduler(
    "console.log(process.pid); process.on('SIGTERM', () => {}); setInterval(() => {}, 9)",
    {
      ready: async () => {
        pid = Number(await readFile(of.logPath('kube-scheduler'), 'utf8'));
        if (pid > 0) abort.abort(new Error('enough'));
        return false;
      },
    },
  );
  await expect(of.start(component, abort.signal)).rejects.toThrow('enough');
  expect(pid).toBeGreaterThan(0);
  expect(await processIdentity(pid)).toBeUndefined();
});
