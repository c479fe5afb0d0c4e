import type { Clock } from '../../src/platform/clock.ts';

/** A clock for a loop that works and sleeps in turn: the test waits for the sleep, and ends it. */
export class SteppedClock implements Clock {
  #nowMs: number;
  #asleep = Promise.withResolvers<number>();
  #wake: (() => void) | undefined;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    this.#wake = () => {
      resolve(undefined);
    };
    signal?.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
    this.#asleep.resolve(ms);
    await promise;
  }

  after(): never {
    throw new Error('only sleep is stepped');
  }

  /** Waits until the loop sleeps. @returns for how long it means to, in milliseconds */
  asleep(): Promise<number> {
    return this.#asleep.promise;
  }

  /** Ends the sleep after `ms`, and waits for the next one. @returns how long that is to be */
  async step(ms: number): Promise<number> {
    await this.asleep();
    this.#nowMs += ms;
    this.#asleep = Promise.withResolvers();
    this.#wake?.();
    return this.asleep();
  }
}
