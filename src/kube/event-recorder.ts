import { EVENTS } from '../api/kubernetes.ts';
import type { KubeObject } from '../api/kubernetes.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { KubeClient } from './client.ts';
import { isNotFound } from './errors.ts';
import { referenceTo, renderEvent } from './event.ts';
import type { Occurrence, ReferringOccurrence, Reporter } from './event.ts';
import { microTime } from './micro-time.ts';
import { WorkQueue } from './work-queue.ts';

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'create' | 'patch'>;
  readonly reporter: Reporter;
  readonly log: Logger;
  readonly clock: Clock;
  /** What the Event on an object is annotated with. Occurrences that differ in it are no series. */
  readonly annotate?: (regarding: KubeObject) => Readonly<Record<string, string>> | undefined;
}

interface Series {
  readonly occurrence: ReferringOccurrence;
  /** How often it happened. */
  count: number;
  lastAt: number;
  lastMonotonic: number;
  /** Where it was posted; undefined before. */
  posted: { readonly namespace: string; readonly name: string } | undefined;
}

interface Allowance {
  tokens: number;
  filledAt: number;
}

/** As client-go does: what happens again within six minutes is the same series. */
const SERIES_GAP_MS = 6 * 60_000;
const MOST_SERIES = 2_048;
const MOST_QUEUED = 1_000;
/** Writes about one object: so many at once, then one per interval; what is left out is in the next one's count. */
const BURST_PER_OBJECT = 25;
const REFILL_INTERVAL_MS = 30_000;

/**
 * Events for people. What repeats is counted in one Event. Recording never fails and never waits: what cannot be
 * written is counted, and told once.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #queue: WorkQueue;
  /** The least recently used ones first, as is `#allowances`. */
  readonly #series = new Map<string, Series>();
  readonly #allowances = new Map<string, Allowance>();
  #sequence = 0;
  #dropped = 0;
  #failed = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ clock: options.clock });
  }

  /** Occurrences that no Event was written for, because there were too many. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Writes that the API server refused or did not answer. */
  get failed(): number {
    return this.#failed;
  }

  record(occurrence: Occurrence): void {
    const annotations = this.#options.annotate?.(occurrence.regarding);
    const key = seriesKey(occurrence, annotations);
    this.#count(key, occurrence, annotations);
    const object = occurrence.regarding.metadata.uid ?? '';
    if (this.#queue.depth >= MOST_QUEUED || !this.#allow(object)) this.#dropped += 1;
    else this.#queue.add(key);
  }

  /** Writes what was recorded, one Event after the other, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => void this.#queue.shutDown();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    for (let key = await this.#queue.take(); key !== undefined; key = await this.#queue.take()) {
      const series = this.#series.get(key);
      try {
        if (series !== undefined) await this.#write(series, signal);
      } catch (error) {
        if (signal.aborted) break;
        this.#failed += 1;
        const message = 'an Event could not be written; further ones that fail are only counted';
        if (this.#failed === 1) this.#options.log.warn({ err: error }, message);
      } finally {
        this.#queue.done(key);
      }
    }
    signal.removeEventListener('abort', stop);
  }

  async #write(series: Series, signal: AbortSignal): Promise<void> {
    const { client, reporter } = this.#options;
    if (series.posted !== undefined) {
      try {
        await client.patch(EVENTS, series.posted, { type: 'merge', body: seriesField(series) }, { signal });
        return;
      } catch (error) {
        // Events expire; then the series begins anew.
        if (!isNotFound(error)) throw error;
        series.posted = undefined;
        series.count = 1;
      }
    }
    const event = {
      ...renderEvent(series.occurrence, reporter, series.lastAt, this.#sequence++),
      ...(series.count === 1 ? {} : seriesField(series)),
    };
    await client.create<KubeObject>(EVENTS, { namespace: event.metadata.namespace }, event, { signal });
    series.posted = event.metadata;
  }

  #count(key: string, occurrence: Occurrence, annotations: ReferringOccurrence['annotations']): void {
    const { clock } = this.#options;
    const now = { lastAt: clock.now(), lastMonotonic: clock.monotonic() };
    const known = this.#series.get(key);
    if (known !== undefined && now.lastMonotonic - known.lastMonotonic < SERIES_GAP_MS) {
      Object.assign(known, now, { count: known.count + 1 });
      touch(this.#series, key, known);
    } else {
      // Not the object itself: it would be kept in memory as long as the series.
      const regarding = referenceTo(occurrence.regarding);
      touch(this.#series, key, {
        occurrence: { ...occurrence, regarding, annotations },
        count: 1,
        posted: undefined,
        ...now,
      });
    }
  }

  #allow(object: string): boolean {
    const now = this.#options.clock.monotonic();
    const last = this.#allowances.get(object) ?? { tokens: BURST_PER_OBJECT, filledAt: now };
    const tokens = Math.min(BURST_PER_OBJECT, last.tokens + (now - last.filledAt) / REFILL_INTERVAL_MS);
    const allowed = tokens >= 1;
    touch(this.#allowances, object, { tokens: allowed ? tokens - 1 : tokens, filledAt: now });
    return allowed;
  }
}

function seriesField({ count, lastAt }: Series): { readonly series: object } {
  return { series: { count, lastObservedTime: microTime(lastAt) } };
}

function seriesKey(
  { regarding, type, reason, action, note }: Occurrence,
  annotations: ReferringOccurrence['annotations'],
): string {
  const { namespace, name, uid } = regarding.metadata;
  return JSON.stringify([regarding.kind, namespace, name, uid, type, reason, action, note, annotations]);
}

/** Sets the entry as the latest; lets the earliest go when there are too many. */
function touch<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > MOST_SERIES && !oldest.done) map.delete(oldest.value);
}
