/** A callback that waits for its moment. */
export interface Timer {
  cancel(): void;
}

/** Time, by injection: nothing below the entry points reads a clock or starts a timer in any other way. */
export interface Clock {
  /** Milliseconds since the Unix epoch. Jumps when somebody sets the machine's clock: only for what people read. */
  now(): number;
  /** Milliseconds since an arbitrary moment. Never goes back: for every deadline and interval. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as that aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after `ms`, or after 24.8 days when that is sooner. */
  after(ms: number, callback: () => void): Timer;
}

/** Node turns a longer delay into one of a millisecond. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        timer.cancel();
        reject(signal?.reason as Error);
      };
      const timer = systemClock.after(ms, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      signal?.addEventListener('abort', abort, { once: true });
    });
  },
  after(ms, callback) {
    const handle = setTimeout(callback, Math.min(Math.max(ms, 0), LONGEST_DELAY_MS));
    return {
      cancel: () => {
        clearTimeout(handle);
      },
    };
  },
};
