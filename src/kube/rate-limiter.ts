import type { Clock, Timer } from '../platform/clock.ts';
import { Fifo } from './fifo.ts';

export interface RateLimiterOptions {
  /** Tokens that come back per second; 0 switches the limiter off. */
  readonly ratePerSecond?: number;
  /** The most that gather while nobody asks. */
  readonly burst?: number;
  readonly clock: Clock;
}

interface Waiter {
  readonly grant: () => void;
  aborted: boolean;
}

const DEFAULT_RATE_PER_SECOND = 200;
const DEFAULT_BURST = 400;

/** A token bucket that serves in the order of asking. */
export class RateLimiter {
  readonly #ratePerSecond: number;
  readonly #burst: number;
  readonly #clock: Clock;
  readonly #waiters = new Fifo<Waiter>();
  #tokens: number;
  #filledAt: number;
  #timer: Timer | undefined;

  constructor(options: RateLimiterOptions) {
    this.#ratePerSecond = options.ratePerSecond ?? DEFAULT_RATE_PER_SECOND;
    this.#burst = Math.max(options.burst ?? DEFAULT_BURST, 1);
    this.#clock = options.clock;
    this.#tokens = this.#burst;
    this.#filledAt = options.clock.monotonic();
  }

  /** Resolves with a token taken; rejects with the signal's reason, taking none. */
  async acquire(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#ratePerSecond === 0) return;
    this.#fill();
    if (this.#waiters.size === 0 && this.#tokens >= 1) {
      this.#tokens -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        waiter.aborted = true;
        reject(signal?.reason as Error);
      };
      const waiter: Waiter = {
        aborted: false,
        grant: () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiters.push(waiter);
      this.#schedule();
    });
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    const gained = ((now - this.#filledAt) / 1000) * this.#ratePerSecond;
    this.#tokens = Math.min(this.#burst, this.#tokens + gained);
    this.#filledAt = now;
  }

  #serve(): void {
    this.#fill();
    for (let next = this.#waiters.peek(); next !== undefined; next = this.#waiters.peek()) {
      if (!next.aborted && this.#tokens < 1) break;
      this.#waiters.shift();
      if (next.aborted) continue;
      this.#tokens -= 1;
      next.grant();
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#waiters.size === 0) return;
    const missing = Math.max(1 - this.#tokens, 0);
    // Rounded up: a timer that fires a fraction early would find no whole token.
    this.#timer = this.#clock.after(Math.ceil((missing / this.#ratePerSecond) * 1000), () => {
      this.#timer = undefined;
      this.#serve();
    });
  }
}
