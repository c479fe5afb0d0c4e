import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { ReloadResult } from './configuration-file.ts';
import { VERSION } from './version.ts';

/** How often the event loop is looked at; what Node reports contains it. */
const RESOLUTION_MS = 10;
const NANOSECONDS = 1e9;

/** What every process of daskwarden tells of itself. */
export class ProcessMetrics {
  private readonly reloads: Counter<'result'>;
  private readonly lastReload: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    new Gauge({
      name: 'daskwarden_build_info',
      help: 'Always 1; the version of daskwarden and of Node.',
      labelNames: ['version', 'node'],
      registers,
    }).set({ version: VERSION, node: process.versions.node }, 1);
    this.reloads = new Counter({
      name: 'daskwarden_configuration_reloads_total',
      help: 'Changes of the configuration file, by what became of them: applied or refused.',
      labelNames: ['result'],
      registers,
    });
    for (const result of ['applied', 'refused'] as const) this.reloads.inc({ result }, 0);
    this.lastReload = new Gauge({
      name: 'daskwarden_configuration_last_reload_successful',
      help: '0 while what the configuration file holds is bad and an older one is in force, else 1.',
      registers,
    });
    this.lastReload.set(1);
    registerEventLoopDelay(registry);
  }

  countReload(result: ReloadResult): void {
    this.reloads.inc({ result });
    this.lastReload.set(result === 'applied' ? 1 : 0);
  }
}

function registerEventLoopDelay(registry: Registry): void {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  const seconds = (nanoseconds: number): number =>
    histogram.count === 0 ? 0 : Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000);
  new Gauge({
    name: 'daskwarden_event_loop_delay_seconds',
    help: 'How late the event loop came to its timers since the metrics were read last.',
    labelNames: ['statistic'],
    registers: [registry],
    collect() {
      this.set({ statistic: 'mean' }, seconds(histogram.mean));
      this.set({ statistic: 'p99' }, seconds(histogram.percentile(99)));
      this.set({ statistic: 'max' }, seconds(histogram.max));
      histogram.reset();
    },
  });
}
