/** How many wait at most, of one tenant and of all. */
export interface QueueBounds {
  readonly tenant: number;
  readonly total: number;
}

/** Longer than a flood of slow calls takes to be refused. */
const SLOW_MS = 30_000;
const MOST_SLOW_TENANTS = 1_000;

/**
 * A bounded queue that takes turns between tenants: however many calls one has waiting, another's next one comes after
 * at most one of each. A tenant whose call took too long comes after all others for a while.
 */
export class FairQueue<T> {
  private readonly bounds: QueueBounds;
  /** In the order of their turns; never an empty list. */
  private readonly waiting = new Map<string, T[]>();
  /** Until when, by tenant. */
  private readonly slow = new Map<string, number>();
  private count = 0;

  constructor(bounds: QueueBounds) {
    this.bounds = bounds;
  }

  get size(): number {
    return this.count;
  }

  /** @returns what has no place: the item itself, or the last one of the tenant that has the most */
  push(tenant: string, item: T): T | undefined {
    const own = this.waiting.get(tenant) ?? [];
    if (own.length >= this.bounds.tenant) return item;
    const evicted = this.count < this.bounds.total ? undefined : this.evict(own.length);
    if (this.count >= this.bounds.total) return item;
    own.push(item);
    this.waiting.set(tenant, own);
    this.count += 1;
    return evicted;
  }

  /** @param nowMs on a monotonic clock */
  take(nowMs: number): T | undefined {
    const tenants = [...this.waiting.keys()];
    const tenant = tenants.find((name) => (this.slow.get(name) ?? 0) <= nowMs) ?? tenants[0];
    const items = tenant === undefined ? undefined : this.waiting.get(tenant);
    if (tenant === undefined || items === undefined) return undefined;
    const item = items.shift();
    this.count -= 1;
    this.waiting.delete(tenant);
    if (items.length > 0) this.waiting.set(tenant, items);
    return item;
  }

  remove(tenant: string, item: T): void {
    const items = this.waiting.get(tenant) ?? [];
    const index = items.indexOf(item);
    if (index < 0) return;
    items.splice(index, 1);
    this.count -= 1;
    if (items.length === 0) this.waiting.delete(tenant);
  }

  clear(): readonly T[] {
    const items = [...this.waiting.values()].flat();
    this.waiting.clear();
    this.count = 0;
    return items;
  }

  /** The tenant's call took too long. */
  markSlow(tenant: string, nowMs: number): void {
    this.slow.delete(tenant);
    this.slow.set(tenant, nowMs + SLOW_MS);
    for (const [name, until] of this.slow) {
      if (until > nowMs && this.slow.size <= MOST_SLOW_TENANTS) break;
      this.slow.delete(name);
    }
  }

  private evict(least: number): T | undefined {
    const [tenant, items] = [...this.waiting].reduce<[string, T[]]>(
      (longest, entry) => (entry[1].length > longest[1].length ? entry : longest),
      ['', []],
    );
    const item = items.length > least + 1 ? items.at(-1) : undefined;
    if (item !== undefined) this.remove(tenant, item);
    return item;
  }
}
