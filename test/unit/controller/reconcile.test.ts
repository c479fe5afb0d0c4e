import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import type { KubeObject, Pod, Secret, Service } from '../../../src/api/kubernetes.ts';
import { CredentialsLedger } from '../../../src/controller/credentials-ledger.ts';
import { Executor } from '../../../src/controller/execute.ts';
import { Obstacles } from '../../../src/controller/obstacles.ts';
import { projectPod } from '../../../src/controller/projection.ts';
import { Reconciler } from '../../../src/controller/reconcile.ts';
import { StatusWriter } from '../../../src/controller/status-writer.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy/policy.ts';
import { Verdicts } from '../../../src/controller/verdicts.ts';
import { DEFAULT_SETTINGS } from '../../../src/core/plan/observed.ts';
import { credentialsPatch } from '../../../src/core/render/credentials.ts';
import type { Occurrence } from '../../../src/kube/event.ts';
import { Expectations } from '../../../src/kube/expectations.ts';
import { Store } from '../../../src/kube/store.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { aCluster, at, type Stage } from '../../support/builders.ts';
import { applyJsonPatch } from '../../support/json-patch.ts';
import { condition } from '../../support/live-cluster.ts';
import { recordedLog } from '../kube/recorded-log.ts';
import { refusal, ScriptedClient } from './scripted-client.ts';

const VALIDITY_MS = 365 * 24 * 3_600_000;

const { signal } = new AbortController();
const KEY = 'team-a/demo';
const SECRET = 'secrets/dask-credentials-demo';
const SCHEDULER = 'pods/dask-scheduler-demo';
const WORKER = 'pods/dask-worker-demo-5f1e0c3a-';
const STATUS = 'patch daskclusters/demo';

/** The reconciler with all that belongs to it, but for the API server; its watches show what the test says. */
class Bench {
  readonly client = new ScriptedClient();
  readonly events: Occurrence[] = [];
  elapsedMs = 0;
  private readonly stores = {
    clusters: new Store<DaskCluster>({ log: recordedLog().log }),
    pods: new Store<Pod>({ log: recordedLog().log, project: projectPod }),
    services: new Store<Service>({ log: recordedLog().log }),
  };
  private readonly reconciler: Reconciler;

  constructor() {
    const { client, stores } = this;
    const clock = { ...systemClock, monotonic: () => this.elapsedMs };
    const { installation } = DEFAULT_SETTINGS;
    const credentials = new CredentialsLedger({
      client,
      clock,
      randomBytes,
      installation,
      validityMs: () => VALIDITY_MS,
    });
    const expectations = new Expectations<Pod>({ store: stores.pods, clock });
    const obstacles = new Obstacles(clock);
    this.reconciler = new Reconciler({
      stores,
      credentials,
      expectations,
      obstacles,
      limits: { grantOf: () => undefined },
      events: { record: (occurrence) => void this.events.push(occurrence) },
      clock,
      settings: DEFAULT_SETTINGS,
      verdicts: new Verdicts({ policy: () => DEFAULT_POLICY, namespaceOf: () => undefined }),
      statuses: new StatusWriter(client),
      executor: new Executor({ client, credentials, expectations, obstacles, log: recordedLog().log }),
    });
    this.inject();
  }

  inject(): void {
    this.client.admit = (object) =>
      object.kind === 'Pod'
        ? applyJsonPatch(object as Pod, credentialsPatch(object as Pod, 'demo') as never)
        : object;
  }

  /** What the watches show from now on is what is there. */
  show(): void {
    const of = (kind: string): KubeObject[] =>
      [...this.client.objects].filter(([key]) => key.startsWith(`${kind}/`)).map(([, object]) => object);
    const newest = String(
      1 + Math.max(0, ...of('pods').map(({ metadata }) => Number(metadata.resourceVersion))),
    );
    this.stores.clusters.replace(of('daskclusters') as DaskCluster[], newest);
    const pods = (of('pods') as Pod[]).map((pod) => this.stores.pods.prepare(structuredClone(pod)));
    this.stores.pods.replace(pods, newest);
    this.stores.services.replace(of('services') as Service[], newest);
  }

  /** Makes a pod of the cluster run, fail, or whatever stage it is to be at, and shows it. */
  stage(stage: Stage, key: string): void {
    const pod = this.client.objects.get(key) as Pod;
    this.client.put('pods', at(stage, pod));
    this.show();
  }

  /** @returns the next calls that it made, and when it wants to look again */
  async turn(): Promise<{ readonly calls: readonly string[]; readonly againMs: number | undefined }> {
    this.client.calls.length = 0;
    const againMs = await this.reconciler.reconcile(KEY, signal);
    return { calls: [...this.client.calls], againMs };
  }

  /** Turns until nothing is left to be done at once. */
  async settle(): Promise<void> {
    for (let turns = 0; turns < 10; turns += 1) {
      this.show();
      const { calls, againMs } = await this.turn();
      if (calls.length === 0 && againMs !== 0) return;
    }
    throw new Error(`it does not come to rest: ${this.client.calls.join(', ')}`);
  }

  /** A cluster whose scheduler and workers run. */
  async running(replicas: number): Promise<void> {
    this.client.put('daskclusters', aCluster({ replicas }));
    await this.settle();
    this.stage('running', SCHEDULER);
    await this.settle();
    for (let slot = 0; slot < replicas; slot += 1) this.stage('running', `${WORKER}${String(slot)}`);
    await this.settle();
  }

  change(change: Partial<DaskCluster['spec']>): void {
    const { metadata, spec, ...rest } = this.cluster;
    const generation = (metadata.generation ?? 0) + 1;
    this.client.put('daskclusters', {
      ...rest,
      metadata: { ...metadata, generation },
      spec: { ...spec, ...change },
    });
    this.show();
  }

  get cluster(): DaskCluster {
    return this.client.objects.get('daskclusters/demo') as DaskCluster;
  }
}

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

  test('of the gateway form, or on its way out, is nobody of ours', async () => {
    const gateway = { ...aCluster(), spec: { config: {}, username: 'alice', options: {} } };
    bench.client.put('daskclusters', gateway);
    bench.show();
    expect(await bench.turn()).toEqual({ calls: [], againMs: undefined });
    const ending = aCluster({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    bench.client.put('daskclusters', ending);
    bench.show();
    expect(await bench.turn()).toEqual({ calls: [], againMs: undefined });
  });

  test('of the gateway form that is invalid is ended, once', async () => {
    const config = { worker_memory: 8, worker_memory_limit: 4 };
    bench.client.put('daskclusters', { ...aCluster(), spec: { config, username: 'alice', options: {} } });
    bench.show();
    expect((await bench.turn()).calls).toContain(STATUS);
    expect(bench.cluster.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringContaining('spec.config.worker_memory: Invalid value') as unknown,
    });
    expect(bench.events).toMatchObject([{ type: 'Warning', reason: 'InvalidSpec' }]);
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
