/**
 * The program of the watchdog: a process of its own that outlives its parent by as long as it takes to clean up.
 * Its standard input is a pipe whose other end only the parent holds, so the end of input means that the parent is
 * gone, however it went (SIGKILL included), or has closed it. Each line is one {@link GuardedThing} as JSON.
 */
import { createInterface } from 'node:readline';
import { type GuardedThing, GuardedThings } from './guarded-things.ts';

// Nobody but the parent ends the watchdog before its work is done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

process.stdout.write('watching\n');

const things = new GuardedThings();
for await (const line of createInterface({ input: process.stdin })) {
  await things.add(JSON.parse(line) as GuardedThing);
}
await things.end();
