import { expect, it } from 'vitest';
import { ControllerMetrics } from '../../../src/controller/metrics.ts';

async function lines(metrics: ControllerMetrics): Promise<readonly string[]> {
  return (await metrics.text()).split('\n');
}

it('counts turns by result', async () => {
  const metrics = new ControllerMetrics();
  metrics.observeReconcile('success', 0.02);
  metrics.observeReconcile('error', 3);
  const found = await lines(metrics);
  expect(found).toContain('daskwarden_reconcile_duration_seconds_count{result="success"} 1');
  expect(found).toContain('daskwarden_reconcile_duration_seconds_sum{result="error"} 3');
});

it('reads its sources whenever it is read', async () => {
  const queue = { depth: 1, inProgress: 2 };
  const pods = { resource: 'pods', relists: 1, lastEventAt: undefined as number | undefined, size: 10 };
  const events = { dropped: 0, failed: 4 };
  const metrics = new ControllerMetrics();
  metrics.readFrom({ queue, watches: [pods], events });
  expect(await lines(metrics)).toEqual(
    expect.arrayContaining([
      'daskwarden_queue_depth 1',
      'daskwarden_queue_in_progress 2',
      'daskwarden_cached_objects{resource="pods"} 10',
      'daskwarden_watch_last_event_timestamp_seconds{resource="pods"} 0',
      'daskwarden_relists_total{resource="pods"} 1',
      'daskwarden_events_lost_total{reason="dropped"} 0',
      'daskwarden_events_lost_total{reason="failed"} 4',
    ]),
  );
  queue.depth = 0;
  Object.assign(pods, { relists: 3, lastEventAt: 1_800_000_000_500, size: 12 });
  expect(await lines(metrics)).toEqual(
    expect.arrayContaining([
      'daskwarden_queue_depth 0',
      'daskwarden_cached_objects{resource="pods"} 12',
      'daskwarden_watch_last_event_timestamp_seconds{resource="pods"} 1800000000.5',
      'daskwarden_relists_total{resource="pods"} 3',
    ]),
  );
});
