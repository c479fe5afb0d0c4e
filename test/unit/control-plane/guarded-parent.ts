/**
 * A program that guards a folder and a stubborn child, tells of them on standard output, and then ends in the way that
 * its argument says: `wait` (for a signal), `throw`, `exit`, or `stop` (the proper way).
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SupervisedProcess } from '../../../src/control-plane/supervised-process.ts';
import { Watchdog } from '../../../src/control-plane/watchdog.ts';

export interface Guarded {
  readonly pid: number;
  readonly watchdogPid: number;
  readonly folder: string;
}

const watchdog = await Watchdog.start();
const folder = await mkdtemp(join(tmpdir(), 'daskwarden-test-'));
watchdog.guardFolder(folder);
const child = await SupervisedProcess.start(
  {
    name: 'stubborn',
    file: '/bin/sh',
    args: ['-c', 'trap "" TERM INT HUP; echo started; while :; do echo alive >> file; sleep 0.1; done'],
    directory: folder,
    env: process.env,
    logPath: join(folder, 'log'),
  },
  watchdog,
);
const guarded: Guarded = { pid: child.pid, watchdogPid: watchdog.pid ?? 0, folder };
process.stdout.write(`${JSON.stringify(guarded)}\n`);

switch (process.argv[2]) {
  case 'wait':
    setInterval(() => undefined, 1000);
    break;
  case 'throw':
    setTimeout(() => {
      throw new Error('nobody catches this');
    }, 0);
    break;
  case 'exit':
    process.exit(3);
    break;
  case 'stop':
    await child.stop(200);
    await watchdog.stop();
    break;
  default:
    throw new Error(`no such ending: ${process.argv[2] ?? ''}`);
}
