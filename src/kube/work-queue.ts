import type { Clock, Timer } from '../platform/clock.ts';
import { Fifo } from './fifo.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** The delay after a key's first failure; it doubles with each further one. */
  readonly baseDelayMs?: number;
  readonly maxDelayMs?: number;
}

interface Delayed {
  readonly dueAt: number;
  readonly timer: Timer;
}

const DEFAULT_BASE_DELAY_MS = 100;
const DEFAULT_MAX_DELAY_MS = 5 * 60_000;
/** Far beyond any maximum, and still a number that can be calculated with. */
const MAX_DOUBLINGS = 30;

/**
 * Keys that wait for a worker, each at most once. A key that is added while it is being worked on is handed out again
 * afterwards, never at the same time: so no two workers hold the same key, and no change goes unseen.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #ready = new Fifo<string>();
  /** Keys that need work: those in `#ready`, and those to be put there when their worker is done. */
  readonly #dirty = new Set<string>();
  readonly #processing = new Set<string>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  readonly #takers = new Fifo<(key: string | undefined) => void>();
  readonly #whenIdle: (() => void)[] = [];
  #isShutDown = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.#baseDelayMs = options.baseDelayMs ?? DEFAULT_BASE_DELAY_MS;
    this.#maxDelayMs = options.maxDelayMs ?? DEFAULT_MAX_DELAY_MS;
  }

  /** Keys that a worker could take now. */
  get depth(): number {
    return this.#ready.size;
  }

  /** Keys in the hands of workers. */
  get inProgress(): number {
    return this.#processing.size;
  }

  /** How often the key failed in a row. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  add(key: string): void {
    if (this.#isShutDown || this.#dirty.has(key)) return;
    this.#dirty.add(key);
    if (!this.#processing.has(key)) this.#offer(key);
  }

  /** Adds the key later. Of several delays of one key the one that ends first counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#isShutDown) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const dueAt = this.#clock.monotonic() + delayMs;
    const waiting = this.#delayed.get(key);
    if (waiting !== undefined && waiting.dueAt <= dueAt) return;
    waiting?.timer.cancel();
    const timer = this.#clock.after(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { dueAt, timer });
  }

  /** Adds the key after one more failure; answers the delay in ms. */
  retry(key: string): number {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    const delayMs = Math.min(this.#maxDelayMs, this.#baseDelayMs * 2 ** Math.min(failures, MAX_DOUBLINGS));
    this.addAfter(key, delayMs);
    return delayMs;
  }

  /** The key's next failure counts as its first. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key, as soon as there is one: to be given back by `done`. Undefined after `shutDown`. */
  async take(): Promise<string | undefined> {
    if (this.#isShutDown) return undefined;
    const key = this.#ready.shift();
    if (key !== undefined) {
      this.#hold(key);
      return key;
    }
    return new Promise((resolve) => {
      this.#takers.push(resolve);
    });
  }

  done(key: string): void {
    this.#processing.delete(key);
    if (this.#dirty.has(key)) this.#offer(key);
    if (this.#processing.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /**
   * Takes and hands out no more keys; what waits is dropped, since a successor reads all state anew. Resolves when
   * the keys in work are done.
   */
  async shutDown(): Promise<void> {
    this.#isShutDown = true;
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    this.#ready.clear();
    this.#dirty.clear();
    for (let taker = this.#takers.shift(); taker !== undefined; taker = this.#takers.shift())
      taker(undefined);
    if (this.#processing.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }

  #offer(key: string): void {
    const taker = this.#takers.shift();
    if (taker === undefined) {
      this.#ready.push(key);
    } else {
      this.#hold(key);
      taker(key);
    }
  }

  #hold(key: string): void {
    this.#dirty.delete(key);
    this.#processing.add(key);
  }
}
