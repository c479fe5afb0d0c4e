import { setTimeout as delay } from 'node:timers/promises';

interface PollOptions {
  /** Default 40 s: less than a test may take. */
  readonly timeoutMs?: number;
  /** Default 50 ms. */
  readonly intervalMs?: number;
}

/**
 * Looks again and again until the state is as expected, and returns it.
 * @param describe what is waited for: `three workers to run`.
 * @throws Error with the last state, or the last error of `look`, once the time is over.
 */
export async function poll<T>(
  describe: string,
  look: () => Promise<T>,
  isDone: (state: T) => boolean,
  options: PollOptions = {},
): Promise<T> {
  const { timeoutMs = 40_000, intervalMs = 50 } = options;
  const deadline = performance.now() + timeoutMs;
  let last: string;
  do {
    try {
      const state = await look();
      if (isDone(state)) return state;
      last = JSON.stringify(state, undefined, 2);
    } catch (error) {
      last = String(error);
    }
    await delay(intervalMs);
  } while (performance.now() < deadline);
  throw new Error(`waited ${timeoutMs} ms for ${describe}; the last state was:\n${last}`);
}
