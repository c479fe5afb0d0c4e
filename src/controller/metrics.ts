import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ReloadResult } from '../platform/configuration-file.ts';
import { ProcessMetrics } from '../platform/process-metrics.ts';

export interface MetricSources {
  readonly queue: { readonly depth: number; readonly inProgress: number };
  readonly watches: readonly WatchSource[];
  readonly events: { readonly dropped: number; readonly failed: number };
}

export interface WatchSource {
  /** Plural, as `pods`. */
  readonly resource: string;
  /** Lists that were made, the first included. */
  readonly relists: number;
  /** Milliseconds since the epoch; undefined before the first list. */
  readonly lastEventAt: number | undefined;
  /** Objects in the cache. */
  readonly size: number;
}

const BUCKETS_SECONDS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];

/** What the controller tells of itself. No label ever holds the name of an object, a namespace or a user. */
export class ControllerMetrics {
  /** Of the text that {@link text} gives. */
  readonly contentType: string;
  private readonly registry = new Registry();
  private readonly process: ProcessMetrics;
  private readonly reconciles: Histogram<'result'>;

  constructor() {
    this.contentType = this.registry.contentType;
    this.process = new ProcessMetrics(this.registry);
    this.reconciles = new Histogram({
      name: 'daskwarden_reconcile_duration_seconds',
      help: 'Time of one turn for one cluster, by result: success or error.',
      labelNames: ['result'],
      buckets: BUCKETS_SECONDS,
      registers: [this.registry],
    });
  }

  observeReconcile(result: 'success' | 'error', seconds: number): void {
    this.reconciles.observe({ result }, seconds);
  }

  countReload(result: ReloadResult): void {
    this.process.countReload(result);
  }

  /** Reads from these whenever the metrics are asked for. Once only. */
  readFrom({ queue, watches, events }: MetricSources): void {
    this.gauge('daskwarden_queue_depth', 'Clusters that wait for their turn.', () => queue.depth);
    this.gauge('daskwarden_queue_in_progress', 'Clusters that are worked on.', () => queue.inProgress);
    this.perWatch(
      'daskwarden_cached_objects',
      'Objects in the cache, by resource.',
      watches,
      ({ size }) => size,
    );
    this.perWatch(
      'daskwarden_watch_last_event_timestamp_seconds',
      'When the API server last sent a list, an event or a bookmark, as a Unix time; 0 before the first.',
      watches,
      ({ lastEventAt = 0 }) => lastEventAt / 1000,
    );
    this.counter(
      'daskwarden_relists_total',
      'Lists that were made, the first included, by resource.',
      'resource',
      () => watches.map(({ resource, relists }) => [resource, relists]),
    );
    this.counter(
      'daskwarden_events_lost_total',
      'Events for people that were not written, by reason: dropped (too many) or failed.',
      'reason',
      () => [
        ['dropped', events.dropped],
        ['failed', events.failed],
      ],
    );
  }

  /** All metrics in Prometheus' text format. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  private gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(value());
      },
    });
  }

  private perWatch(
    name: string,
    help: string,
    watches: readonly WatchSource[],
    value: (watch: WatchSource) => number,
  ): void {
    new Gauge({
      name,
      help,
      labelNames: ['resource'],
      registers: [this.registry],
      collect() {
        for (const watch of watches) this.set({ resource: watch.resource }, value(watch));
      },
    });
  }

  /** A counter of what somebody else counts. */
  private counter(
    name: string,
    help: string,
    label: string,
    values: () => readonly (readonly [string, number])[],
  ): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [key, value] of values()) this.inc({ [label]: key }, value);
      },
    });
  }
}
