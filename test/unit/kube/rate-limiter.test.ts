import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RateLimiter } from '../../../src/kube/rate-limiter.ts';
import { systemClock } from '../../../src/platform/clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Asks so many times at once; the array fills with the numbers of those that were let pass. */
function ask(limiter: RateLimiter, times: number): number[] {
  const passed: number[] = [];
  for (let i = 0; i < times; i++) void limiter.acquire().then(() => passed.push(i));
  return passed;
}

const limiterOf = (ratePerSecond: number, burst: number): RateLimiter =>
  new RateLimiter({ ratePerSecond, burst, clock: systemClock });

test('lets a burst pass and then its rate, in the order of asking', async () => {
  const passed = ask(limiterOf(10, 5), 30);
  await vi.advanceTimersByTimeAsync(0);
  expect(passed).toEqual([0, 1, 2, 3, 4]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(passed).toHaveLength(15);
  await vi.advanceTimersByTimeAsync(1_500);
  expect(passed).toEqual(Array.from({ length: 30 }, (_, i) => i));
});

test('200 a second with a burst of 400 when nothing is said', async () => {
  const passed = ask(new RateLimiter({ clock: systemClock }), 1_000);
  await vi.advanceTimersByTimeAsync(0);
  expect(passed).toHaveLength(400);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(passed.length).toBeGreaterThanOrEqual(595);
  expect(passed.length).toBeLessThanOrEqual(600);
});

test('never gathers more than the burst', async () => {
  const limiter = limiterOf(10, 5);
  await vi.advanceTimersByTimeAsync(3_600_000);
  const passed = ask(limiter, 10);
  await vi.advanceTimersByTimeAsync(0);
  expect(passed).toHaveLength(5);
});

test('who comes later does not overtake who waits', async () => {
  const limiter = limiterOf(1, 1);
  const first = ask(limiter, 2);
  await vi.advanceTimersByTimeAsync(900);
  const late = ask(limiter, 1);
  await vi.advanceTimersByTimeAsync(101);
  expect([first, late]).toEqual([[0, 1], []]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(late).toEqual([0]);
});

test('who comes while a timer is late does not overtake either', async () => {
  let elapsedMs = 0;
  const limiter = new RateLimiter({
    ratePerSecond: 1,
    burst: 1,
    clock: { ...systemClock, monotonic: () => elapsedMs },
  });
  await limiter.acquire();
  const first = ask(limiter, 1);
  elapsedMs = 1_000;
  const late = ask(limiter, 1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([first, late]).toEqual([[0], []]);
});

test('leaves nothing behind at a signal that lives on', async () => {
  const limiter = limiterOf(10, 1);
  const { signal } = new AbortController();
  const waiting = Promise.all([limiter.acquire(signal), limiter.acquire(signal)]);
  await vi.advanceTimersByTimeAsync(1_000);
  await waiting;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('one that gives up takes no token and holds nobody up', async () => {
  const limiter = limiterOf(1, 1);
  await limiter.acquire();
  const abort = new AbortController();
  const givenUp = expect(limiter.acquire(abort.signal)).rejects.toThrow('enough');
  const passed = ask(limiter, 1);
  abort.abort(new Error('enough'));
  await givenUp;
  await vi.advanceTimersByTimeAsync(1_001);
  expect(passed).toEqual([0]);
});

test('is no limit at a rate of 0', async () => {
  const passed = ask(limiterOf(0, 1), 10_000);
  await vi.advanceTimersByTimeAsync(0);
  expect(passed).toHaveLength(10_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('a signal that aborted before gets nothing', async () => {
  await expect(limiterOf(0, 1).acquire(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
});
