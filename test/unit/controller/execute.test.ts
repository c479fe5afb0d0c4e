import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject, Pod, Service } from '../../../src/api/kubernetes.ts';
import { CredentialsLedger } from '../../../src/controller/credentials-ledger.ts';
import { Executor } from '../../../src/controller/execute.ts';
import { Obstacles } from '../../../src/controller/obstacles.ts';
import type { Action } from '../../../src/core/plan/action.ts';
import { DEFAULT_SETTINGS } from '../../../src/core/plan/observed.ts';
import { credentialsPatch } from '../../../src/core/render/credentials.ts';
import { renderSchedulerPod, renderWorkerPod } from '../../../src/core/render/pod.ts';
import { renderService } from '../../../src/core/render/service.ts';
import { Expectations } from '../../../src/kube/expectations.ts';
import { Store } from '../../../src/kube/store.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { aCluster } from '../../support/builders.ts';
import { applyJsonPatch } from '../../support/json-patch.ts';
import { recordedLog } from '../kube/recorded-log.ts';
import { refusal, ScriptedClient } from './scripted-client.ts';

const VALIDITY_MS = 365 * 24 * 3_600_000;

const { signal } = new AbortController();
const cluster = aCluster();
const uid = cluster.metadata.uid!;
const earlier = aCluster({ uid: '5f1e0c3a-0000-4000-8000-000000000000' });
const { installation } = DEFAULT_SETTINGS;
const WORKER = 'pods/dask-worker-demo-5f1e0c3a-0';
const SCHEDULER = 'pods/dask-scheduler-demo';
const SERVICE = 'services/dask-demo';

let client: ScriptedClient;
let expectations: Expectations<Pod>;
let obstacles: Obstacles;
let executor: Executor;

beforeEach(() => {
  client = new ScriptedClient();
  client.admit = (object) => (object.kind === 'Pod' ? injected(object as Pod) : object);
  const { log } = recordedLog();
  const clock = systemClock;
  expectations = new Expectations({ store: new Store<Pod>({ log }), clock });
  obstacles = new Obstacles(clock);
  const credentials = new CredentialsLedger({
    client,
    clock,
    randomBytes,
    installation,
    validityMs: () => VALIDITY_MS,
  });
  executor = new Executor({ client, credentials, expectations, obstacles, log });
});

function injected(pod: Pod): Pod {
  return applyJsonPatch(pod, credentialsPatch(pod, 'demo') as never);
}

const createWorker = (slot: number): Action => ({
  kind: 'create-pod',
  role: 'worker',
  pod: renderWorkerPod(cluster, installation, { incarnation: 1, slot }),
});
const createScheduler = (of = cluster): Extract<Action, { kind: 'create-pod' }> => ({
  kind: 'create-pod',
  role: 'scheduler',
  pod: renderSchedulerPod(of, installation, 1),
});
const createService = (of = cluster): Extract<Action, { kind: 'create-service' }> => ({
  kind: 'create-service',
  service: renderService(of, installation),
});
const execute = (...actions: readonly Action[]): Promise<void> => executor.execute(cluster, actions, signal);
/** What a plan would see before the watch shows anything. */
const expected = (): readonly (string | undefined)[] =>
  expectations.overlay(uid, []).map(({ metadata }) => metadata.name);

describe('actions', () => {
  test('are executed in order', async () => {
    await execute(
      { kind: 'create-credentials', secretName: 'dask-credentials-demo' },
      createService(),
      createScheduler(),
    );
    expect(client.calls).toEqual([
      'create secrets/dask-credentials-demo',
      `create ${SERVICE}`,
      `create ${SCHEDULER}`,
    ]);
  });

  test('end with the first that fails; those beside it are finished, later ones are not begun', async () => {
    client.fail(`create ${WORKER}`, refusal(403, 'Forbidden', 'exceeded quota'));
    const target = { name: 'dask-demo', uid: 'uid-1' };
    await expect(
      execute(createWorker(0), createWorker(1), createService(), { kind: 'delete-service', target }),
    ).rejects.toThrow('exceeded quota');
    expect(client.calls).toEqual([`create ${WORKER}`, 'create pods/dask-worker-demo-5f1e0c3a-1']);
    expect(expected()).toEqual(['dask-worker-demo-5f1e0c3a-1']);
  });

  test('on pods go together, but not all at once', async () => {
    let most = 0;
    let now = 0;
    const { admit } = client;
    const create = client.create.bind(client);
    client.create = async (...args) => {
      now += 1;
      most = Math.max(most, now);
      const answer = await create(...args);
      now -= 1;
      return answer as never;
    };
    client.admit = admit;
    await execute(...Array.from({ length: 40 }, (_, slot) => createWorker(slot)));
    expect(most).toBe(16);
    expect(client.objects.size).toBe(40);
  });
});

describe('a pod', () => {
  test('counts as there while its answer is out, and for good when it was lost', async () => {
    client.fail(`create ${WORKER}`, 'lost-answer');
    await expect(execute(createWorker(0))).rejects.toThrow('reset');
    expect(expected()).toEqual(['dask-worker-demo-5f1e0c3a-0']);
    await execute(createWorker(0));
    expect(expectations.overlay(uid, [])[0]?.metadata.uid).toBe(client.objects.get(WORKER)?.metadata.uid);
    expect(client.objects.size).toBe(1);
  });

  test.each([refusal(500, 'InternalError'), 'not-sent'] as const)(
    'does not count as there when it was certainly not made (%s)',
    async (fault) => {
      client.fail(`create ${WORKER}`, fault);
      await expect(execute(createWorker(0))).rejects.toThrow();
      expect(expected()).toEqual([]);
    },
  );

  test('that is going does not count, and its name is waited for', async () => {
    const own = client.put('pods', createScheduler().pod);
    const metadata = { ...own.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    client.put('pods', { ...own, metadata });
    await expect(execute(createScheduler())).rejects.toMatchObject({ name: 'NameStillTaken' });
    expect(expected()).toEqual([]);
    expect(obstacles.foreignPodsOf(uid)).toEqual([]);
  });

  test("of a deleted cluster of this name is waited for; of somebody else's it is told", async () => {
    client.put('pods', createScheduler(earlier).pod);
    await expect(execute(createScheduler())).rejects.toMatchObject({ name: 'NameStillTaken' });
    expect(obstacles.foreignPodsOf(uid)).toEqual([]);
    client.put('pods', { metadata: { name: 'dask-scheduler-demo' } });
    await expect(execute(createScheduler())).rejects.toMatchObject({
      name: 'NameStillTaken',
      message: 'Pod team-a/dask-scheduler-demo exists already',
    });
    expect(obstacles.foreignPodsOf(uid)).toEqual(['dask-scheduler-demo']);
    expect(expected()).toEqual([]);
  });

  test('that came back without its credentials is deleted, and that is remembered', async () => {
    client.admit = (object) => object;
    await execute(createScheduler());
    expect(client.calls).toEqual([`create ${SCHEDULER}`, `delete ${SCHEDULER}`]);
    expect(expected()).toEqual([]);
    expect(obstacles.isInjectionMissing(uid)).toBe(true);
    client.admit = (object) => injected(object as Pod);
    await execute(createScheduler());
    expect(obstacles.isInjectionMissing(uid)).toBe(false);
    expect(expected()).toEqual(['dask-scheduler-demo']);
  });

  test('that came back without them still counts as there when it cannot be deleted', async () => {
    client.admit = (object) => object;
    client.fail(`delete ${SCHEDULER}`, refusal(500, 'InternalError'));
    await expect(execute(createScheduler())).rejects.toThrow('InternalError');
    expect(expected()).toEqual(['dask-scheduler-demo']);
  });

  test('is deleted by its UID: a successor of the name stays', async () => {
    const pod = client.put('pods', createScheduler().pod);
    const target = { name: 'dask-scheduler-demo', uid: 'uid-0' };
    await execute({ kind: 'delete-pod', target, reason: 'Replaced' });
    expect(client.objects.get(SCHEDULER)).toBe(pod);
    await execute({ kind: 'delete-pod', target: { ...target, uid: pod.metadata.uid! }, reason: 'Replaced' });
    await execute({ kind: 'delete-pod', target: { ...target, uid: pod.metadata.uid! }, reason: 'Replaced' });
    expect(client.objects.size).toBe(0);
  });
});

describe('a Service', () => {
  const labelled = (of = cluster): Service => createService(of).service;

  test('that is there already is ours where the watch is late', async () => {
    client.put('services', labelled());
    await execute(createService(), createScheduler());
    expect(client.calls).toEqual([`create ${SERVICE}`, `get ${SERVICE}`, `create ${SCHEDULER}`]);
  });

  test('of ours that lost its label makes room for one that is seen', async () => {
    const { metadata, ...rest } = labelled();
    const { labels: _off, ...bare } = metadata;
    client.put('services', { ...rest, metadata: bare });
    await expect(execute(createService())).rejects.toMatchObject({ name: 'NameStillTaken' });
    expect(client.objects.has(SERVICE)).toBe(false);
  });

  test("of somebody else's is told, and nothing that follows is begun", async () => {
    const theirs = client.put<KubeObject>('services', { metadata: { name: 'dask-demo' } });
    await expect(execute(createService(), createScheduler())).rejects.toMatchObject({
      name: 'NameStillTaken',
      message: 'Service team-a/dask-demo exists already',
    });
    expect(client.calls).toEqual([`create ${SERVICE}`, `get ${SERVICE}`]);
    expect(obstacles.foreignServiceOf(uid)).toBe(theirs);
  });

  test('of a deleted cluster of this name is waited for', async () => {
    client.put('services', labelled(earlier));
    await expect(execute(createService())).rejects.toMatchObject({ name: 'NameStillTaken' });
    expect(obstacles.foreignServiceOf(uid)).toBeUndefined();
    expect(client.objects.has(SERVICE)).toBe(true);
  });
});
