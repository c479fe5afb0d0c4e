interface Waiter {
  readonly who: string;
  readonly enter: () => void;
}

export interface TurnstileOptions {
  /** How many may be inside at a time. */
  readonly places: number;
  /** How many of them one and the same may have, so that nobody keeps everybody else out. */
  readonly placesEach: number;
}

/** Lets work begin in the order of its arrival, as far as there are places for it. */
export class Turnstile {
  private readonly options: TurnstileOptions;
  private readonly inside = new Map<string, number>();
  private taken = 0;
  private waiting: Waiter[] = [];

  constructor(options: TurnstileOptions) {
    this.options = options;
  }

  /** Does the work as soon as there is a place; rejects with the signal's reason where it aborts before. */
  async pass<T>(who: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.enter(who, signal);
    try {
      return await work();
    } finally {
      this.leave(who);
    }
  }

  private async enter(who: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.hasPlace(who)) {
      this.take(who);
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const waiter = {
      who,
      enter: () => {
        signal.removeEventListener('abort', giveUp);
        resolve(undefined);
      },
    };
    const giveUp = (): void => {
      this.waiting = this.waiting.filter((other) => other !== waiter);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    this.waiting.push(waiter);
    await promise;
  }

  private leave(who: string): void {
    this.taken -= 1;
    const left = (this.inside.get(who) ?? 1) - 1;
    if (left === 0) this.inside.delete(who);
    else this.inside.set(who, left);
    const next = this.waiting.findIndex((waiter) => this.hasPlace(waiter.who));
    const [waiter] = next < 0 ? [] : this.waiting.splice(next, 1);
    if (waiter === undefined) return;
    this.take(waiter.who);
    waiter.enter();
  }

  private hasPlace(who: string): boolean {
    const { places, placesEach } = this.options;
    return this.taken < places && (this.inside.get(who) ?? 0) < placesEach;
  }

  private take(who: string): void {
    this.taken += 1;
    this.inside.set(who, (this.inside.get(who) ?? 0) + 1);
  }
}
