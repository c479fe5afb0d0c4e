import { beforeEach, describe, expect, test } from 'vitest';
import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import type { Secret } from '../../../src/api/kubernetes.ts';
import { aCluster } from '../../support/builders.ts';
import { condition } from '../../support/live-cluster.ts';
import { Bench, invalidPod, SCHEDULER, SECRET, STATUS, WORKER } from './reconcile-bench.ts';
import { refusal } from './scripted-client.ts';

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

const worker = (replicas: number): Partial<DaskCluster['spec']> => ({
  worker: { ...aCluster().spec.worker, replicas },
});

describe('a cluster', () => {
  test('is worked on, its status is written after each step, and then it is left alone', async () => {
    bench.client.put('daskclusters', aCluster());
    bench.show();
    const first = await bench.turn();
    expect(first.calls).toEqual([
      `create ${SECRET}`,
      'create services/dask-demo',
      `create ${SCHEDULER}`,
      STATUS,
    ]);
    bench.show();
    expect((await bench.turn()).calls).toEqual([STATUS]);
    expect(condition(bench.cluster, 'CredentialsReady')?.status).toBe('True');
    bench.show();
    expect(await bench.turn()).toEqual({ calls: [], againMs: 600_000 });
    bench.stage('running', SCHEDULER);
    expect((await bench.turn()).calls).toEqual([STATUS]);
    expect(bench.cluster.status?.phase).toBe('Running');
    expect(await bench.turn()).toEqual({ calls: [], againMs: 600_000 });
  });

  test('is looked at again at once when its status was written before its actions', async () => {
    await bench.running(0);
    bench.change(worker(2));
    const { calls, againMs } = await bench.turn();
    expect(calls).toEqual([STATUS, `create ${WORKER}0`, `create ${WORKER}1`]);
    expect(againMs).toBe(0);
    expect(bench.events.map(({ reason }) => reason)).toEqual(['WorkersCreated']);
  });

  test('that changed meanwhile is looked at again soon', async () => {
    await bench.running(0);
    bench.stage('pending', SCHEDULER);
    bench.client.put('daskclusters', bench.cluster);
    expect((await bench.turn()).againMs).toBe(500);
  });

  test('is looked at soon when a POST was not answered', async () => {
    bench.client.put('daskclusters', aCluster());
    bench.show();
    bench.client.fail(`create ${SCHEDULER}`, 'lost-answer');
    await expect(bench.turn()).rejects.toThrow('reset');
    const { calls, againMs } = await bench.turn();
    expect(calls).not.toContain(`create ${SCHEDULER}`);
    expect(againMs).toBe(5_000);
  });

  test('on its way out is left alone', async () => {
    bench.client.put('daskclusters', aCluster({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }));
    bench.show();
    expect(await bench.turn()).toEqual({ calls: [], againMs: undefined });
  });

  test('that is gone is forgotten with all that was known of it', async () => {
    await bench.running(0);
    const before = bench.client.objects.get(SECRET) as Secret;
    bench.client.objects.clear();
    bench.show();
    expect(await bench.turn()).toEqual({ calls: [], againMs: undefined });
    bench.client.put('daskclusters', aCluster());
    bench.show();
    expect((await bench.turn()).calls[0]).toBe(`create ${SECRET}`);
    expect((bench.client.objects.get(SECRET) as Secret).data).not.toEqual(before.data);
  });

  test('that was followed by another one of its name before anybody looked is forgotten too', async () => {
    await bench.running(0);
    bench.client.objects.clear();
    bench.client.put('daskclusters', aCluster({ uid: '5f1e0c3a-0000-4000-8000-000000000002' }));
    bench.show();
    expect((await bench.turn()).calls[0]).toBe(`create ${SECRET}`);
  });
});

describe('a write that is refused', () => {
  const QUOTA = refusal(403, 'Forbidden', 'exceeded quota: few');

  test('is told in the status and in an Event, and thrown to be tried again', async () => {
    await bench.running(0);
    bench.change(worker(1));
    bench.client.fail(`create ${WORKER}0`, QUOTA);
    await expect(bench.turn()).rejects.toBe(QUOTA);
    expect(condition(bench.cluster, 'Stalled')).toMatchObject({ status: 'True', reason: 'WriteRefused' });
    expect(bench.cluster.status?.message).toBe('POST /: 403 exceeded quota: few');
    expect(bench.events.at(-1)).toMatchObject({ type: 'Warning', reason: 'WriteRefused' });
  });

  test('of a pod that is invalid is told as admission would have told it', async () => {
    await bench.running(0);
    bench.change(worker(2));
    const refused = invalidPod(`${WORKER.slice(5)}1`, 'spec.containers[0].image');
    bench.client.fail(`create ${WORKER}1`, refused);
    await expect(bench.turn()).rejects.toBe(refused);
    const text = 'spec.worker.template.spec.containers[0].image: Invalid value: "x": no';
    expect(condition(bench.cluster, 'Stalled')).toMatchObject({ reason: 'WriteRefused', message: text });
    expect(bench.events.at(-1)).toMatchObject({ type: 'Warning', reason: 'WriteRefused', note: text });
  });

  test('is still told while it is tried again, and not any more when it succeeded', async () => {
    await bench.running(0);
    bench.change(worker(1));
    bench.client.fail(`create ${WORKER}0`, QUOTA);
    await expect(bench.turn()).rejects.toBe(QUOTA);
    bench.show();
    const { againMs } = await bench.turn();
    expect(condition(bench.cluster, 'Stalled')?.status).toBe('True');
    expect(againMs).toBe(0);
    bench.show();
    await bench.turn();
    expect(condition(bench.cluster, 'Stalled')?.status).toBe('False');
  });

  test.each([
    ['a conflict', refusal(409, 'Conflict')],
    ['a request to come back later', refusal(429, 'TooManyRequests')],
    ['no answer', 'not-sent'],
  ] as const)('is not told where it was only %s', async (_, fault) => {
    await bench.running(0);
    bench.change({ active: false });
    bench.client.fail(`delete ${SCHEDULER}`, fault);
    await bench.turn().catch(() => undefined);
    expect(bench.events.map(({ reason }) => reason)).not.toContain('WriteRefused');
  });
});

describe('the Secret', () => {
  test('is looked for before new pods are made, unless it was seen a moment ago', async () => {
    await bench.running(0);
    bench.client.objects.delete(SECRET);
    bench.elapsedMs = 4_999;
    bench.change(worker(1));
    expect((await bench.turn()).calls).toEqual([STATUS, `create ${WORKER}0`]);
    bench.elapsedMs = 5_000;
    bench.show();
    bench.change(worker(2));
    const { calls } = await bench.turn();
    expect(calls).toEqual([`get ${SECRET}`, STATUS, `create ${SECRET}`, `create ${WORKER}1`]);
  });

  test('is looked for every thirty seconds while a pod that has a node does not start', async () => {
    await bench.running(0);
    bench.change(worker(1));
    await bench.settle();
    bench.stage('pending', `${WORKER}0`);
    await bench.turn();
    expect((await bench.turn()).againMs).toBe(30_000);
    bench.client.objects.delete(SECRET);
    bench.elapsedMs = 30_000;
    expect((await bench.turn()).calls.slice(0, 2)).toEqual([`get ${SECRET}`, `create ${SECRET}`]);
  });
});

describe('the injection', () => {
  test('that is missing is tried with one pod at a time, and said all the while', async () => {
    await bench.running(0);
    bench.client.admit = (object) => object;
    bench.change(worker(2));
    await bench.turn();
    bench.show();
    await bench.turn();
    const missing = (): object | undefined => condition(bench.cluster, 'CredentialsReady');
    expect(missing()).toMatchObject({ status: 'False', reason: 'InjectionMissing' });
    bench.show();
    const waiting = await bench.turn();
    expect(waiting.calls.filter((call) => call.startsWith('create'))).toEqual([]);
    expect(waiting.againMs).toBeLessThanOrEqual(10_000);

    bench.elapsedMs = 10_000;
    const trial = await bench.turn();
    expect(trial.calls.filter((call) => call.startsWith('create'))).toHaveLength(1);
    expect(trial.calls.filter((call) => call.startsWith('delete'))).toHaveLength(1);
    expect(missing()).toMatchObject({ status: 'False', reason: 'InjectionMissing' });

    bench.inject();
    bench.elapsedMs = 20_000;
    bench.show();
    await bench.turn();
    await bench.settle();
    expect(missing()).toMatchObject({ status: 'True' });
    expect([...bench.client.objects.keys()].filter((key) => key.startsWith(WORKER))).toHaveLength(2);
  });
});
