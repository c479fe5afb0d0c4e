import type { Clock, Timer } from '../platform/clock.ts';

/** The reason of an abort that nobody asked for. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/**
 * A signal that aborts with its parent or after `timeoutMs`. To be disposed of: a parent that lives as long as the
 * process would otherwise gather a listener with every call (and `AbortSignal.any` a dependant).
 */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  #at: number;
  #timer: Timer;

  constructor(parent: AbortSignal | undefined, timeoutMs: number, clock: Clock) {
    this.#parent = parent;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#at = clock.monotonic() + timeoutMs;
    this.#timer = clock.after(timeoutMs, this.#expire);
    if (parent?.aborted) this.#abort();
    else parent?.addEventListener('abort', this.#abort, { once: true });
  }

  /** Monotonic time at which it expires. */
  get at(): number {
    return this.#at;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Gives the whole time again, from now. */
  postpone(): void {
    this.#at = this.#clock.monotonic() + this.#timeoutMs;
  }

  [Symbol.dispose](): void {
    this.#timer.cancel();
    this.#parent?.removeEventListener('abort', this.#abort);
  }

  readonly #expire = (): void => {
    const leftMs = this.#at - this.#clock.monotonic();
    // Postponing starts no timer: it happens with every event of a watch.
    if (leftMs >= 1) this.#timer = this.#clock.after(leftMs, this.#expire);
    else this.#controller.abort(new DeadlineExceeded(`no answer within ${this.#timeoutMs} ms`));
  };

  readonly #abort = (): void => {
    this.#controller.abort(this.#parent?.reason);
  };
}
