import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WorkQueue } from '../../../src/kube/work-queue.ts';
import { runWorkers } from '../../../src/kube/workers.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { recordedLog } from './recorded-log.ts';

let queue: WorkQueue;
let abort: AbortController;
const { log, lines } = recordedLog();

beforeEach(() => {
  vi.useFakeTimers();
  lines.length = 0;
  queue = new WorkQueue({ clock: systemClock });
  abort = new AbortController();
});
afterEach(() => {
  vi.useRealTimers();
});

const passes = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

function work(handler: (key: string) => Promise<number | undefined>, parallelism = 2): Promise<void> {
  return runWorkers({ queue, parallelism, handler, log }, abort.signal);
}

test('as many keys at a time as there are workers', async () => {
  let now = 0;
  let most = 0;
  const working = work(async () => {
    most = Math.max(most, ++now);
    await systemClock.sleep(100);
    now--;
    return undefined;
  }, 3);
  for (let i = 0; i < 10; i++) queue.add(String(i));
  await passes(1_000);
  expect([most, queue.depth]).toEqual([3, 0]);
  abort.abort();
  await working;
});

test('a handler is called again after the time it names', async () => {
  const times: number[] = [];
  const working = work(() => {
    times.push(Date.now());
    return Promise.resolve(times.length < 3 ? 5_000 : undefined);
  });
  queue.add('a');
  await passes(60_000);
  expect(times.map((at) => at - times[0]!)).toEqual([0, 5_000, 10_000]);
  abort.abort();
  await working;
});

test('the line on a failure says what is known of the key', async () => {
  const working = runWorkers(
    {
      queue,
      parallelism: 1,
      handler: () => Promise.reject(new Error('cannot be planned')),
      log,
      describe: (key) => ({ correlation: `${key}/7` }),
    },
    abort.signal,
  );
  queue.add('a');
  await passes(1);
  expect(lines).toEqual([expect.objectContaining({ key: 'a', correlation: 'a/7', failures: 1 })]);
  abort.abort();
  await working;
});

test('a poison key waits longer each time; the others do not notice', async () => {
  const calls: string[] = [];
  const working = work((key) => {
    calls.push(key);
    if (key === 'poison') throw new Error('cannot be planned');
    return Promise.resolve(undefined);
  }, 1);
  queue.add('poison');
  for (let i = 0; i < 60; i++) {
    queue.add('good');
    await passes(1_000);
  }
  expect(calls.filter((key) => key === 'good')).toHaveLength(60);
  // After 0, 0.1, 0.3, 0.7, 1.5, 3.1, 6.3, 12.7, 25.5 and 51.1 s.
  expect(calls.filter((key) => key === 'poison')).toHaveLength(10);
  expect(lines[1]).toMatchObject({ level: 'warn', key: 'poison', failures: 2, delayMs: 200 });
  abort.abort();
  await working;
});

test('success makes the failures before it forgotten', async () => {
  let calls = 0;
  const working = work(() =>
    ++calls < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve(undefined),
  );
  queue.add('a');
  await passes(1_000);
  expect([calls, queue.failures('a')]).toEqual([3, 0]);
  abort.abort();
  await working;
});

test('stopping lets running handlers finish, starts no other, and blames nobody', async () => {
  const finished: string[] = [];
  const working = work(async (key) => {
    await systemClock.sleep(100);
    finished.push(key);
    throw new Error('stopped');
  }, 1);
  queue.add('a');
  queue.add('b');
  await passes(10);
  abort.abort();
  await passes(1_000);
  await working;
  expect(finished).toEqual(['a']);
  expect(lines).toEqual([]);
});

test('a signal that aborted before starts nothing', async () => {
  queue.add('a');
  abort.abort();
  const handler = vi.fn(() => Promise.resolve(undefined));
  await work(handler);
  expect(handler).not.toHaveBeenCalled();
});
