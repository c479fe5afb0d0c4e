export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
  /** A failure that comes this long after the previous one counts as the first. */
  readonly resetAfterMs: number;
  readonly monotonic: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Full jitter: somewhere between nothing and a bound that doubles, so that those who failed together return apart. */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;
  #failedAt = -Infinity;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** The delay in ms after one more failure. */
  next(): number {
    const { baseMs, maxMs, resetAfterMs, monotonic, random } = this.#options;
    const now = monotonic();
    if (now - this.#failedAt > resetAfterMs) this.#failures = 0;
    this.#failedAt = now;
    const bound = Math.min(maxMs, baseMs * 2 ** this.#failures);
    this.#failures += 1;
    return random() * bound;
  }
}
