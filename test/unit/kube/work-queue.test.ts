import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WorkQueue } from '../../../src/kube/work-queue.ts';
import { systemClock } from '../../../src/platform/clock.ts';

let queue: WorkQueue;
beforeEach(() => {
  vi.useFakeTimers();
  queue = new WorkQueue({ clock: systemClock });
});
afterEach(() => {
  vi.useRealTimers();
});

const passes = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** Takes and gives back whatever is ready now. */
async function drain(): Promise<string[]> {
  const keys: string[] = [];
  while (queue.depth > 0) {
    const key = (await queue.take())!;
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

describe('add', () => {
  test('hands out each key once, in order', async () => {
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    expect(await drain()).toEqual(['a', 'b', 'c']);
  });

  test('a key in work waits until it is done, and is then handed out once', async () => {
    queue.add('a');
    expect(await queue.take()).toBe('a');
    queue.add('a');
    queue.add('a');
    expect([queue.depth, queue.inProgress]).toEqual([0, 1]);
    queue.done('a');
    expect(await drain()).toEqual(['a']);
  });

  test('wakes those who wait, the first first', async () => {
    const first = queue.take();
    const second = queue.take();
    queue.add('a');
    queue.add('b');
    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  });

  test('100,000 keys are no matter of minutes', async () => {
    for (let i = 0; i < 100_000; i++) queue.add(String(i));
    const keys = await drain();
    expect([keys.length, keys[0], keys.at(-1)]).toEqual([100_000, '0', '99999']);
  });
});

describe('addAfter', () => {
  test('adds when the time has come', async () => {
    queue.addAfter('a', 1_000);
    await passes(999);
    expect(await drain()).toEqual([]);
    await passes(1);
    expect(await drain()).toEqual(['a']);
  });

  test('only the earliest time counts', async () => {
    queue.addAfter('a', 1_000);
    queue.addAfter('a', 10);
    queue.addAfter('a', 500);
    await passes(10);
    expect(await drain()).toEqual(['a']);
    await passes(10_000);
    expect(await drain()).toEqual([]);
  });

  test.each([0, -5])('a delay of %i is none', async (delayMs) => {
    queue.addAfter('a', delayMs);
    expect(await drain()).toEqual(['a']);
  });

  test('the next delay counts from after the last one', async () => {
    queue.addAfter('a', 10);
    await passes(10);
    queue.addAfter('a', 1_000);
    expect(await drain()).toEqual(['a']);
    await passes(1_000);
    expect(await drain()).toEqual(['a']);
  });
});

describe('retry', () => {
  test('waits longer with every failure of the key, up to five minutes', () => {
    const delays = Array.from({ length: 14 }, () => queue.retry('a'));
    expect(delays.slice(0, 5)).toEqual([100, 200, 400, 800, 1_600]);
    expect(delays.slice(-2)).toEqual([300_000, 300_000]);
    expect(queue.retry('b')).toBe(100);
  });

  test('forget starts anew', () => {
    queue.retry('a');
    queue.retry('a');
    queue.forget('a');
    expect(queue.failures('a')).toBe(0);
    expect(queue.retry('a')).toBe(100);
  });

  test('ten thousand failures still give a delay', () => {
    for (let i = 0; i < 10_000; i++) queue.retry('a');
    expect(queue.failures('a')).toBe(10_000);
    expect(queue.retry('a')).toBe(300_000);
  });

  test('a base of 0 stays 0', () => {
    const eager = new WorkQueue({ clock: systemClock, baseDelayMs: 0 });
    for (let i = 0; i < 10_000; i++) eager.retry('a');
    expect(eager.retry('a')).toBe(0);
  });

  test('the key comes back after its delay', async () => {
    queue.retry('a');
    await passes(99);
    expect(await drain()).toEqual([]);
    await passes(1);
    expect(await drain()).toEqual(['a']);
  });
});

describe('shutDown', () => {
  test('drops what waits, wakes those who wait, and takes nothing more', async () => {
    const waiting = queue.take();
    await queue.shutDown();
    queue.add('a');
    queue.addAfter('b', 1);
    queue.retry('c');
    await passes(1_000);
    expect(await waiting).toBeUndefined();
    expect(await queue.take()).toBeUndefined();
    expect(queue.depth).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('cancels timers and drops ready keys', async () => {
    queue.add('a');
    queue.addAfter('b', 60_000);
    await queue.shutDown();
    expect(await queue.take()).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('waits for the keys in work, and hands none of them out again', async () => {
    queue.add('a');
    queue.add('b');
    await queue.take();
    await queue.take();
    queue.add('a');
    let isDown = false;
    const down = queue.shutDown().then(() => (isDown = true));
    queue.done('a');
    await passes(0);
    expect(isDown).toBe(false);
    queue.done('b');
    await down;
    expect(await queue.take()).toBeUndefined();
  });
});
