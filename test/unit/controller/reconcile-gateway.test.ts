import { beforeEach, describe, expect, test } from 'vitest';
import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import { aCluster } from '../../support/builders.ts';
import { Bench, invalidPod, STATUS } from './reconcile-bench.ts';
import { refusal } from './scripted-client.ts';

const DRY_SCHEDULER = 'create pods/dask-scheduler-demo';
/** Its name is generated, and has no end yet. */
const DRY_WORKER = 'create pods/';

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

function show(config: Readonly<Record<string, unknown>>, change: Partial<DaskCluster> = {}): void {
  const spec = { config, username: 'alice', options: {} };
  bench.client.put('daskclusters', { ...aCluster(), spec, ...change });
  bench.show();
}

describe('a cluster of the gateway form', () => {
  test('that is valid is asked about once, and left to whoever runs it', async () => {
    show({});
    expect(await bench.turn()).toEqual({ calls: [DRY_SCHEDULER, DRY_WORKER], againMs: undefined });
    expect(await bench.turn()).toEqual({ calls: [], againMs: undefined });
  });

  test('that breaks a rule is ended, once, and the API server is not asked', async () => {
    show({ worker_memory: 8, worker_memory_limit: 4 });
    const { calls } = await bench.turn();
    expect(calls).toContain(STATUS);
    expect(calls.filter((call) => call.startsWith('create'))).toEqual([]);
    expect(bench.cluster.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('spec.config.worker_memory: Invalid value') as unknown,
    });
    expect(bench.events).toMatchObject([{ type: 'Warning', reason: 'InvalidSpec' }]);
    bench.show();
    expect(await bench.turn()).toEqual({ calls: [], againMs: undefined });
  });

  test('that Kubernetes refuses is ended, once', async () => {
    show({});
    bench.client.fail(DRY_WORKER, invalidPod('dask-worker-demo-xxxxx', 'spec.nodeName'));
    expect((await bench.turn()).calls).toContain(STATUS);
    expect(bench.cluster.status).toMatchObject({
      phase: 'Failed',
      message: 'spec.config.worker_extra_pod_config.nodeName: Invalid value: "x": no',
    });
    expect(bench.events).toMatchObject([{ type: 'Warning', reason: 'InvalidSpec' }]);
    bench.show();
    expect(await bench.turn()).toEqual({ calls: [], againMs: undefined });
  });

  test('is asked about again where the API server gave no verdict', async () => {
    show({});
    bench.client.fail(DRY_WORKER, refusal(503, 'ServiceUnavailable'));
    await expect(bench.turn()).rejects.toThrow('ServiceUnavailable');
    bench.client.fail(DRY_WORKER, refusal(409, 'Conflict'));
    expect(await bench.turn()).toEqual({ calls: [DRY_SCHEDULER, DRY_WORKER], againMs: 500 });
    expect(bench.cluster.status).toBeUndefined();
    expect((await bench.turn()).calls).toContain(DRY_WORKER);
  });

  const { metadata } = aCluster();
  test.each<[string, Partial<DaskCluster>]>([
    ['has begun', { status: { phase: 'Pending', schedulerPod: 'dask-scheduler-demo' } }],
    ['is paused', { metadata: { ...metadata, annotations: { 'daskwarden.dev/paused': 'true' } } }],
    ['is on its way out', { metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }],
  ])('that %s is not asked about', async (_what, change) => {
    show({}, change);
    expect(await bench.turn()).toEqual({ calls: [], againMs: undefined });
  });
});
