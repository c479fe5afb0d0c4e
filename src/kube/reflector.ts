import type { KubeObject, Resource } from '../api/kubernetes.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { Backoff } from './backoff.ts';
import type { ListQuery, WatchQuery } from './client.ts';
import { Deadline, DeadlineExceeded } from './deadline.ts';
import { ApiError, isGone, isThrottled, TransportError } from './errors.ts';
import { listAll } from './pager.ts';
import type { Lister } from './pager.ts';
import { hasReached } from './resource-version.ts';
import type { Store } from './store.ts';
import type { WatchEvent } from './watch-stream.ts';

export interface ListerWatcher extends Lister {
  watch<T extends KubeObject>(
    resource: Resource,
    query: WatchQuery,
    signal: AbortSignal,
  ): AsyncIterable<WatchEvent<T>>;
}

export interface ReflectorOptions<T extends KubeObject, Raw extends KubeObject> {
  readonly client: ListerWatcher;
  readonly resource: Resource;
  readonly select?: Pick<ListQuery, 'namespace' | 'labelSelector' | 'fieldSelector'>;
  readonly store: Store<T, Raw>;
  readonly log: Logger;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
}

const SHORTEST_WATCH_SECONDS = 300;
const LONGEST_WATCH_SECONDS = 600;
/** The API server sends a bookmark about once a minute: two that stay out are no accident. */
const STALLED_AFTER_MS = 150_000;
const BACKOFF = { baseMs: 800, maxMs: 30_000, resetAfterMs: 120_000 };
/** A watch that ends sooner, and brought nothing, was cut off by somebody: it counts as a failure. */
const SUSPICIOUSLY_SHORT_MS = 1_000;
/** So many broken watches without an event between them: perhaps it is the next event that cannot be read. */
const FRUITLESS_WATCHES = 3;

/** The watch was answered, but not as a watch is. */
class WatchFault extends Error {
  override readonly name = 'WatchFault';
  readonly positionLost: boolean;

  constructor(message: string, positionLost: boolean) {
    super(message);
    this.positionLost = positionLost;
  }
}

/**
 * Keeps a store equal to the cluster: one list, then a watch from there on, resumed where it broke. Lists anew only
 * when the position is lost. Never gives up before its signal aborts.
 */
export class Reflector<T extends KubeObject, Raw extends KubeObject = T> {
  /** Resolves when the store shows the first list; rejects with the signal's reason if that never came. */
  readonly synced: Promise<void>;
  readonly #options: ReflectorOptions<T, Raw>;
  readonly #log: Logger;
  readonly #backoff: Backoff;
  /** Of its own: a server that says 410 is back, however long it was away before. */
  readonly #goneBackoff: Backoff;
  readonly #firstList = Promise.withResolvers<undefined>();
  #running = false;
  #position: string | undefined;
  #fruitless = 0;
  #relists = 0;
  #lastEventAt: number | undefined;

  constructor(options: ReflectorOptions<T, Raw>) {
    this.#options = options;
    this.#log = options.log.child({ resource: options.resource.plural });
    const backoff = { ...BACKOFF, monotonic: () => options.clock.monotonic(), random: options.random };
    this.#backoff = new Backoff(backoff);
    this.#goneBackoff = new Backoff(backoff);
    this.synced = this.#firstList.promise;
    // Whoever waits hears of it; that nobody waits is no fault.
    this.synced.catch(() => undefined);
  }

  /** How many lists were made, the first included. */
  get relists(): number {
    return this.#relists;
  }

  /** When the server last sent a list, an event or a bookmark: milliseconds since the epoch. */
  get lastEventAt(): number | undefined {
    return this.#lastEventAt;
  }

  /** Resolves when the signal aborts, and not before. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) throw new Error(`the reflector of ${this.#options.resource.plural} runs already`);
    this.#running = true;
    while (!signal.aborted) {
      try {
        this.#position ??= await this.#list(signal);
        await this.#watch(this.#position, signal);
      } catch (error) {
        await this.#recover(error, signal);
      }
    }
    this.#running = false;
    this.#firstList.reject(signal.reason);
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { client, resource, select, store } = this.#options;
    const { items, resourceVersion } = await listAll<Raw, T>(client, resource, select ?? {}, {
      prepare: (object) => store.prepare(object),
      signal,
    });
    this.#relists += 1;
    this.#heard();
    store.replace(items, resourceVersion);
    this.#firstList.resolve(undefined);
    return resourceVersion;
  }

  async #watch(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { client, resource, select, clock, random } = this.#options;
    // Spread, so that watches which began together do not all begin anew together.
    const timeoutSeconds =
      SHORTEST_WATCH_SECONDS + Math.floor(random() * (LONGEST_WATCH_SECONDS - SHORTEST_WATCH_SECONDS + 1));
    const startedAt = clock.monotonic();
    let events = 0;
    using stall = new Deadline(signal, STALLED_AFTER_MS, clock);
    for await (const event of client.watch<Raw>(
      resource,
      { ...select, resourceVersion, timeoutSeconds },
      stall.signal,
    )) {
      stall.postpone();
      events += 1;
      this.#apply(event);
    }
    if (events === 0 && clock.monotonic() - startedAt < SUSPICIOUSLY_SHORT_MS) {
      throw new WatchFault('the watch was ended at once', false);
    }
  }

  #apply(event: WatchEvent<Raw>): void {
    const { store, resource } = this.#options;
    const version = event.object.metadata.resourceVersion;
    const repeats = event.type === 'BOOKMARK' && version === this.#position;
    if (version === undefined || (hasReached(this.#position, version) && !repeats)) {
      // The server's data was restored from a backup: what we show may be from a future that never came.
      const message = `${resource.plural} went back from ${this.#position ?? ''} to ${version ?? 'nowhere'}`;
      throw new WatchFault(message, true);
    }
    this.#heard();
    this.#position = version;
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
        store.upsert(store.prepare(event.object));
        break;
      case 'DELETED':
        store.remove(store.prepare(event.object));
        break;
      case 'BOOKMARK':
        store.advance(version);
        break;
    }
  }

  #heard(): void {
    this.#fruitless = 0;
    this.#lastEventAt = this.#options.clock.now();
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    if (error instanceof TransportError && error.outcome === 'unknown') this.#fruitless += 1;
    const resumes =
      this.#position !== undefined && keepsPosition(error) && this.#fruitless < FRUITLESS_WATCHES;
    if (!resumes) {
      this.#position = undefined;
      this.#fruitless = 0;
    }
    const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    const backoff = isGone(error) ? this.#goneBackoff : this.#backoff;
    const delayMs = Math.max(backoff.next(), askedMs);
    const next = resumes ? 'watching on' : 'listing anew';
    this.#log.warn(
      { err: error, delayMs: Math.round(delayMs) },
      `list or watch failed, ${next} after a delay`,
    );
    await this.#options.clock.sleep(delayMs, signal).catch(() => undefined);
  }
}

/** Whether the failure says nothing against the resource version: then the next watch goes on from it. */
function keepsPosition(error: unknown): boolean {
  if (error instanceof WatchFault) return !error.positionLost;
  if (error instanceof ApiError) return isThrottled(error) || error.code === 401 || error.code === 503;
  return error instanceof TransportError || error instanceof DeadlineExceeded;
}
