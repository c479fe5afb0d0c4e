import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('sleep resolves after its time, not before', async () => {
  let awake = false;
  const sleeping = systemClock.sleep(1_000).then(() => {
    awake = true;
  });
  await vi.advanceTimersByTimeAsync(999);
  expect(awake).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(awake).toBe(true);
  await sleeping;
});

test('sleep rejects with the reason of the signal at once, and leaves no timer', async () => {
  const abort = new AbortController();
  const sleeping = systemClock.sleep(60_000, abort.signal);
  abort.abort(new Error('stopping'));
  await expect(sleeping).rejects.toThrow('stopping');
  expect(vi.getTimerCount()).toBe(0);
});

test('sleep under a signal that aborted before never starts', async () => {
  await expect(systemClock.sleep(1, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  expect(vi.getTimerCount()).toBe(0);
});

test('a delay beyond what Node can count does not fire at once', async () => {
  const fired = vi.fn();
  const timer = systemClock.after(90 * 24 * 3_600_000, fired);
  await vi.advanceTimersByTimeAsync(24 * 3_600_000);
  expect(fired).not.toHaveBeenCalled();
  timer.cancel();
});

test('a cancelled callback is not called', async () => {
  const fired = vi.fn();
  systemClock.after(10, fired).cancel();
  await vi.advanceTimersByTimeAsync(20);
  expect(fired).not.toHaveBeenCalled();
});
