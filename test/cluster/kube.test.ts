import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { EVENTS, PODS } from '../../src/api/kubernetes.ts';
import type { KubeObject, Pod, Resource } from '../../src/api/kubernetes.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { inClusterAccess } from '../../src/kube/config.ts';
import type { ClusterAccess } from '../../src/kube/config.ts';
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
} from '../../src/kube/errors.ts';
import { EventRecorder } from '../../src/kube/event-recorder.ts';
import { Expectations } from '../../src/kube/expectations.ts';
import { kubeconfigAccess } from '../../src/kube/kubeconfig.ts';
import { listAll } from '../../src/kube/pager.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import { Store } from '../../src/kube/store.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { freshNamespace } from '../support/namespaces.ts';
import { poll } from '../support/poll.ts';

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const coreResource = (plural: string, kind: string): Resource => ({
  group: '',
  version: 'v1',
  plural,
  kind,
  namespaced: true,
});
const CONFIG_MAPS = coreResource('configmaps', 'ConfigMap');
const SERVICE_ACCOUNTS = coreResource('serviceaccounts', 'ServiceAccount');
const log = createLogger({ name: 'test', level: 'error' });

function clientOf(access: ClusterAccess): KubeClient {
  const client = new KubeClient({ access, version: 'test' });
  onTestFinished(() => client.close());
  return client;
}

async function adminClient(): Promise<KubeClient> {
  return clientOf(await kubeconfigAccess({ path: inject('kubeconfigPath') }));
}

/** What a pod of the namespace's default service account finds in its file system. */
async function serviceAccountDirectory(admin: KubeClient, namespace: string): Promise<string> {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const at = { namespace, name: 'default', subresource: 'token' };
  const { status } = await admin.create<object, { status: { token: string } }>(SERVICE_ACCOUNTS, at, request);
  const directory = await mkdtemp(join(tmpdir(), 'service-account-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'token'), status.token);
  await writeFile(join(directory, 'ca.crt'), inject('caPem'));
  await writeFile(join(directory, 'namespace'), namespace);
  return directory;
}

const configMap = (namespace: string, name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name },
  data,
});

const pod = (namespace: string, name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace, name },
  spec: { containers: [{ name: 'c', image: 'none' }], nodeSelector: { nowhere: 'true' } },
});

describe('access', () => {
  test('by a service account, as in a pod', async () => {
    const admin = await adminClient();
    const namespace = await freshNamespace();
    const url = new URL(inject('server'));
    const access = await inClusterAccess({
      env: { KUBERNETES_SERVICE_HOST: url.hostname, KUBERNETES_SERVICE_PORT: url.port },
      directory: await serviceAccountDirectory(admin, namespace),
    });
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const reviews = {
      ...coreResource('selfsubjectreviews', 'SelfSubjectReview'),
      group: 'authentication.k8s.io',
      namespaced: false,
    };
    const answer = await clientOf(access).create<object, { status: object }>(reviews, {}, review);
    expect(answer.status).toMatchObject({
      userInfo: { username: `system:serviceaccount:${namespace}:default` },
    });

    const refused = await clientOf(access)
      .list(PODS, { namespace })
      .catch((error: unknown) => error);
    expect(isForbidden(refused)).toBe(true);
    expect(String(refused)).toMatch(`GET /api/v1/namespaces/${namespace}/pods: 403 pods is forbidden`);
  });

  test('to a server with a certificate of somebody else sends nothing', async () => {
    const access = { server: inject('server'), credentials: () => Promise.resolve({ token: 'x' }) };
    await expect(clientOf(access).request('GET', '/readyz', { timeoutMs: 5_000 })).rejects.toMatchObject({
      name: 'TransportError',
      outcome: 'not-sent',
    });
  });
});

describe('verbs', () => {
  test('create, get, the three patches and delete', async () => {
    const client = await adminClient();
    const namespace = await freshNamespace();
    const at = { namespace, name: 'c' };
    const created = await client.create(CONFIG_MAPS, { namespace }, configMap(namespace, 'c', { a: '1' }));
    expect(await client.get(CONFIG_MAPS, at)).toEqual(created);

    await client.patch(CONFIG_MAPS, at, {
      type: 'json',
      operations: [{ op: 'add', path: '/data/b', value: '2' }],
    });
    await client.patch(CONFIG_MAPS, at, { type: 'merge', body: { data: { a: null } } });
    const apply = { type: 'apply', body: configMap(namespace, 'c', { b: '3' }), force: true } as const;
    const applied = await client.patch<ConfigMap>(CONFIG_MAPS, at, apply, { fieldManager: 'test' });
    expect(applied.data).toEqual({ b: '3' });
    const dryRun = await client.patch<ConfigMap>(
      CONFIG_MAPS,
      at,
      { type: 'merge', body: { data: { b: '4' } } },
      { dryRun: true },
    );
    expect(dryRun.data).toEqual({ b: '4' });
    expect((await client.get<ConfigMap>(CONFIG_MAPS, at)).data).toEqual({ b: '3' });

    await client.delete(CONFIG_MAPS, at, { uid: created.metadata.uid });
    await expect(client.get(CONFIG_MAPS, at)).rejects.toSatisfy(isNotFound);
  });

  test('refusals are told apart', async () => {
    const client = await adminClient();
    const namespace = await freshNamespace();
    const at = { namespace, name: 'c' };
    await client.create(CONFIG_MAPS, { namespace }, configMap(namespace, 'c'));

    await expect(client.create(CONFIG_MAPS, { namespace }, configMap(namespace, 'c'))).rejects.toSatisfy(
      isAlreadyExists,
    );
    await expect(client.delete(CONFIG_MAPS, at, { uid: 'another' })).rejects.toSatisfy(isConflict);
    const stale = { type: 'merge', body: { metadata: { resourceVersion: '1' }, data: { x: 'y' } } } as const;
    await expect(client.patch(CONFIG_MAPS, at, stale)).rejects.toSatisfy(isConflict);

    const bad = pod(namespace, 'p');
    const invalid = await client
      .create(PODS, { namespace }, { ...bad, spec: { containers: [] } })
      .catch((error: unknown) => error);
    expect(isInvalid(invalid)).toBe(true);
    expect((invalid as ApiError).details?.causes).toMatchObject([{ field: 'spec.containers' }]);
  });

  test('a list in pages is whole and consistent', async () => {
    const client = await adminClient();
    const namespace = await freshNamespace();
    const names = Array.from({ length: 25 }, (_, i) => `c-${String(i).padStart(2, '0')}`);
    await Promise.all(
      names.map((name) =>
        client.create(CONFIG_MAPS, { namespace }, configMap(namespace, name, { mine: 'yes' })),
      ),
    );
    const { items } = await listAll<ConfigMap, ConfigMap>(
      client,
      CONFIG_MAPS,
      { namespace },
      {
        pageSize: 10,
        prepare: (object) => object,
        signal: new AbortController().signal,
      },
    );
    const mine = items.filter(({ data }) => data?.['mine'] === 'yes');
    expect(mine.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(mine.every(({ kind, apiVersion }) => kind === 'ConfigMap' && apiVersion === 'v1')).toBe(true);
  });

  test('a watch from a version that is too old is gone', async () => {
    const client = await adminClient();
    const watching = async (): Promise<void> => {
      const query = { resourceVersion: '1', timeoutSeconds: 5 };
      for await (const event of client.watch(PODS, query, new AbortController().signal))
        expect(event).toBeNull();
    };
    await expect(watching()).rejects.toSatisfy(isGone);
  });
});

/** A store of the namespace's pods that is kept until the test is over. */
async function mirroredPods(client: KubeClient, namespace: string): Promise<Store<Pod>> {
  const store = new Store<Pod>({ log });
  const reflector = new Reflector({
    client,
    resource: PODS,
    select: { namespace },
    store,
    log,
    clock: systemClock,
    random: Math.random,
  });
  const abort = new AbortController();
  const running = reflector.run(abort.signal);
  onTestFinished(async () => {
    abort.abort();
    await running;
  });
  await reflector.synced;
  return store;
}

describe('a reflector', () => {
  test('keeps its store equal to the cluster', async () => {
    const client = await adminClient();
    const namespace = await freshNamespace();
    await client.create(PODS, { namespace }, pod(namespace, 'before'));
    const store = await mirroredPods(client, namespace);
    expect(store.list().map(({ metadata }) => metadata.name)).toEqual(['before']);

    const events: string[] = [];
    store.subscribe(({ type, object }) => events.push(`${type} ${object.metadata.name ?? ''}`));
    const first = await client.create(PODS, { namespace }, pod(namespace, 'p'));
    const labels = { type: 'merge', body: { metadata: { labels: { a: 'b' } } } } as const;
    await client.patch(PODS, { namespace, name: 'p' }, labels);
    await client.delete(PODS, { namespace, name: 'p' }, { gracePeriodSeconds: 0 });
    const second = await client.create(PODS, { namespace }, pod(namespace, 'p'));
    await poll(
      'the second pod',
      () => Promise.resolve(store.get(`${namespace}/p`)),
      (seen) => seen?.metadata.uid === second.metadata.uid,
    );
    expect(first.metadata.uid).not.toBe(second.metadata.uid);
    expect(events.filter((event) => !event.startsWith('update'))).toEqual(['add p', 'delete p', 'add p']);
    expect(store.get(`${namespace}/p`)?.metadata).not.toHaveProperty('managedFields');
  });

  test('and what we wrote ourselves is seen at once', async () => {
    const client = await adminClient();
    const namespace = await freshNamespace();
    const store = await mirroredPods(client, namespace);
    const expectations = new Expectations<Pod>({ store, clock: systemClock });
    const seen = (): (string | undefined)[] =>
      expectations.overlay('owner', store.list()).map(({ metadata }) => metadata.uid);
    for (let i = 0; i < 20; i++) {
      const posted = pod(namespace, `p-${i}`);
      expectations.creating('owner', posted);
      const created = await client.create(PODS, { namespace }, posted);
      expectations.created('owner', created);
      expect(seen()).toEqual([created.metadata.uid]);
      const at = { namespace, name: posted.metadata.name ?? '' };
      const answer = await client.delete(PODS, at, { uid: created.metadata.uid, gracePeriodSeconds: 0 });
      expectations.deleted('owner', created, answer as Pod);
      expect(seen()).toEqual([]);
    }
    await poll(
      'the store to be empty',
      () => Promise.resolve(store.size),
      (size) => size === 0,
    );
    expect(seen()).toEqual([]);
  });
});

interface SeenEvent extends KubeObject {
  readonly note: string;
  readonly reason: string;
  readonly series?: { readonly count: number };
}

test('Events are admitted, counted and found by the object they are about', async () => {
  const client = await adminClient();
  const namespace = await freshNamespace();
  const regarding = await client.create(CONFIG_MAPS, { namespace }, configMap(namespace, 'c'));
  const reporter = { controller: 'daskwarden.dev/controller', instance: 'test' };
  const recorder = new EventRecorder({ client, reporter, log, clock: systemClock });
  const abort = new AbortController();
  const running = recorder.run(abort.signal);

  const listed = async (): Promise<readonly SeenEvent[]> =>
    (await client.list<SeenEvent>(EVENTS, { namespace, fieldSelector: 'regarding.name=c' })).items;
  const repeated = { regarding, type: 'Normal', reason: 'Repeated', note: 'again' } as const;
  recorder.record(repeated);
  await poll('the first Event', listed, (events) => events.length === 1);
  recorder.record(repeated);
  recorder.record(repeated);
  recorder.record({
    regarding,
    type: 'Warning',
    reason: 'Long',
    note: '日'.repeat(1_000),
    action: 'Explain',
  });
  const events = await poll(
    'both Events, one counted to three',
    listed,
    (seen) => seen.length === 2 && seen.some(({ series }) => series?.count === 3),
  );
  expect(Buffer.byteLength(events.find(({ reason }) => reason === 'Long')?.note ?? '')).toBeGreaterThan(
    1_000,
  );

  const wholeNamespace = await client.get(
    { ...coreResource('namespaces', 'Namespace'), namespaced: false },
    { name: namespace },
  );
  recorder.record({ regarding: wholeNamespace, type: 'Normal', reason: 'ClusterScoped', note: '' });
  await poll(
    'an Event about the namespace',
    async () =>
      (await client.list(EVENTS, { namespace: 'default', fieldSelector: `regarding.name=${namespace}` }))
        .items,
    (seen) => seen.length === 1,
  );
  abort.abort();
  await running;
  expect([recorder.failed, recorder.dropped]).toEqual([0, 0]);
});
