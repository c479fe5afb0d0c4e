import type { DaskCluster } from '../src/api/dask-cluster.ts';
import type { Claim } from '../src/core/limits/usage-index.ts';
import { hasReached } from '../src/kube/resource-version.ts';
import type { Clock } from '../src/platform/clock.ts';

export interface Reservation {
  readonly claim: Claim;
  /** Of the object that was admitted; undefined where it was not known yet. */
  readonly uid: string | undefined;
  /** The version that an update was made from; undefined for a create. */
  readonly after: string | undefined;
}

interface Entry extends Reservation {
  readonly dueAtMs: number;
}

/**
 * What was admitted and is not in the cache yet, by key. It counts until the cache shows the object, or some seconds
 * have passed: a request may fail after it was admitted.
 */
export class Reservations {
  private readonly clock: Pick<Clock, 'monotonic'>;
  private readonly lifetimeMs: number;
  /** In the order in which they end, as all last equally long. */
  private readonly entries = new Map<string, Entry>();

  constructor(clock: Pick<Clock, 'monotonic'>, lifetimeMs: number) {
    this.clock = clock;
    this.lifetimeMs = lifetimeMs;
  }

  put(key: string, reservation: Reservation): void {
    this.entries.delete(key);
    this.entries.set(key, { ...reservation, dueAtMs: this.clock.monotonic() + this.lifetimeMs });
  }

  claimOf(key: string): Claim | undefined {
    return this.entries.get(key)?.claim;
  }

  keys(): Iterable<string> {
    return this.entries.keys();
  }

  /** Ends the reservation that the cache's version of the object has come after. */
  settle(key: string, { metadata }: DaskCluster): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    const isThis = entry.uid === undefined || entry.uid === metadata.uid;
    const isNewer =
      entry.after === undefined ||
      (metadata.resourceVersion !== entry.after && hasReached(metadata.resourceVersion, entry.after));
    if (isThis && isNewer) this.entries.delete(key);
  }

  /** Ends what is overdue. @returns the keys */
  expire(): readonly string[] {
    const now = this.clock.monotonic();
    const keys: string[] = [];
    for (const [key, { dueAtMs }] of this.entries) {
      if (dueAtMs > now) break;
      keys.push(key);
      this.entries.delete(key);
    }
    return keys;
  }
}
