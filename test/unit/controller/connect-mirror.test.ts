import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import type { KubeObject, Pod, Resource, Secret } from '../../../src/api/kubernetes.ts';
import { ConnectMirror } from '../../../src/controller/connect-mirror.ts';
import { parseConnectLabel } from '../../../src/core/identity/connect-target.ts';
import { connectPatch } from '../../../src/core/render/connect.ts';
import { ownerReference } from '../../../src/core/render/owner.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import type { Patch } from '../../../src/kube/patch.ts';
import { Store } from '../../../src/kube/store.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { aCluster } from '../../support/builders.ts';
import { applyJsonPatch } from '../../support/json-patch.ts';
import { recordedLog } from '../kube/recorded-log.ts';
import { ScriptedApi } from '../kube/scripted-api.ts';

const COPY = 'lab/dask-connect-team-a.demo';
const SOURCE = 'team-a/dask-credentials-demo';
const LABEL = 'daskwarden.dev/connect';

/** The Secrets of an API server, by `<namespace>/<name>`, beside scripted lists and watches of pods. */
class FakeApi extends ScriptedApi {
  readonly secrets = new Map<string, Secret>();
  readonly writes: string[] = [];
  private version = 100;

  get<T extends KubeObject>(
    _: Resource,
    at: { readonly namespace?: string; readonly name: string },
  ): Promise<T> {
    const found = this.secrets.get(keyOf(at));
    return found === undefined ? refusal(404, 'NotFound') : Promise.resolve(found as KubeObject as T);
  }

  create<T extends object, Answer = T>(_: Resource, _at: object, object: T): Promise<Answer> {
    const secret = object as Secret;
    const key = keyOf(secret.metadata);
    if (this.secrets.has(key)) return refusal(409, 'AlreadyExists');
    this.writes.push(`create ${key}`);
    return Promise.resolve(this.put(key, secret) as object as Answer);
  }

  patch<T extends KubeObject>(_: Resource, at: { readonly name: string }, patch: Patch): Promise<T> {
    if (patch.type !== 'merge') throw new Error('only merge patches are faked');
    const key = keyOf(at);
    const stored = this.secrets.get(key)!;
    const { metadata = {}, data } = patch.body as Partial<Secret>;
    const { uid, resourceVersion } = stored.metadata;
    if (metadata.uid !== uid || metadata.resourceVersion !== resourceVersion) return refusal(409, 'Conflict');
    this.writes.push(`patch ${key}`);
    const patched = {
      ...stored,
      data: { ...stored.data, ...data },
      metadata: {
        ...stored.metadata,
        ...metadata,
        annotations: { ...stored.metadata.annotations, ...metadata.annotations },
      },
    };
    return Promise.resolve(this.put(key, patched) as KubeObject as T);
  }

  delete(_: Resource, at: { readonly name: string }, { uid }: { readonly uid?: string | undefined } = {}) {
    const key = keyOf(at);
    if (this.secrets.get(key)?.metadata.uid !== uid) return refusal<KubeObject>(409, 'Conflict');
    this.writes.push(`delete ${key}`);
    this.secrets.delete(key);
    return Promise.resolve({ kind: 'Status' as const });
  }

  put(key: string, secret: Secret): Secret {
    this.version += 1;
    const uid = secret.metadata.uid ?? `secret-${String(this.version)}`;
    const stored = {
      ...secret,
      metadata: { ...secret.metadata, uid, resourceVersion: String(this.version) },
    };
    this.secrets.set(key, stored);
    return stored;
  }
}

function keyOf({ namespace, name }: { readonly namespace?: string; readonly name?: string }): string {
  return `${namespace ?? ''}/${name ?? ''}`;
}

function refusal<T>(code: number, reason: string): Promise<T> {
  return Promise.reject(new ApiError({ method: 'GET', path: '/' }, code, { reason }));
}

function sourceOf(cluster: DaskCluster, certificate: string): Secret {
  const { name = '', namespace = '', uid = '' } = cluster.metadata;
  return {
    metadata: {
      name: `dask-credentials-${name}`,
      namespace,
      ownerReferences: [ownerReference({ name, namespace, uid })],
    },
    data: { 'dask.crt': certificate, 'dask.pem': 'key', 'api-token': 'token' },
  };
}

/** A client as it is stored: injected, unless it slipped in. */
function aClient(name: string, resourceVersion = '20', value = 'team-a.demo', phase = 'Running'): Pod {
  const metadata = {
    name,
    namespace: 'lab',
    uid: `uid-${name}`,
    resourceVersion,
    labels: { [LABEL]: value },
  };
  const pod: Pod = { metadata, spec: { containers: [{ name: 'c' }] }, status: { phase } };
  const target = parseConnectLabel(value, 'lab');
  return target === undefined ? pod : applyJsonPatch(pod, connectPatch(pod, target));
}

const cluster = aCluster({ status: { phase: 'Running' } });
const settle = (ms = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

let api: FakeApi;
let clusters: Store<DaskCluster>;
let lines: Record<string, unknown>[];
let ending: AbortController;
let running: Promise<void>;

beforeEach(() => {
  vi.useFakeTimers();
  api = new FakeApi();
  const recorded = recordedLog();
  lines = recorded.lines;
  clusters = new Store<DaskCluster>({ log: recorded.log });
  clusters.replace([cluster], '1');
  api.put(SOURCE, sourceOf(cluster, 'certificate'));
  ending = new AbortController();
});
afterEach(async () => {
  ending.abort();
  await running;
  vi.useRealTimers();
});

async function start(...pods: Pod[]): Promise<void> {
  api.answers.push({ items: pods, resourceVersion: '30', continue: undefined });
  const { log } = recordedLog();
  const mirror = new ConnectMirror({
    client: api,
    clusters,
    clock: systemClock,
    random: () => 0,
    log: {
      ...log,
      info: () => undefined,
      warn: (fields) => void lines.push({ ...fields }),
      child: () => log,
    },
  });
  running = mirror.run(ending.signal);
  await settle();
}

function ownersOf(key = COPY): (string | undefined)[] | undefined {
  return api.secrets.get(key)?.metadata.ownerReferences?.map(({ name }) => name);
}

describe('ConnectMirror', () => {
  it('copies certificate and key, never the token, and the clients own the copy', async () => {
    await start(aClient('notebook'));
    expect(api.lists).toMatchObject([{ labelSelector: LABEL }]);
    expect(api.secrets.get(COPY)).toMatchObject({
      type: 'Opaque',
      data: { 'dask.crt': 'certificate', 'dask.pem': 'key' },
      metadata: {
        labels: { 'app.kubernetes.io/managed-by': 'daskwarden', [LABEL]: 'team-a.demo' },
        annotations: {
          'daskwarden.dev/connect-cluster': 'team-a/demo',
          'daskwarden.dev/connect-cluster-uid': cluster.metadata.uid,
        },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'notebook', uid: 'uid-notebook' }],
      },
    });
    expect(Object.keys(api.secrets.get(COPY)?.data ?? {})).toEqual(['dask.crt', 'dask.pem']);
  });

  it.each([
    [
      "in the cluster's own namespace",
      { ...aClient('a'), metadata: { ...aClient('a').metadata, namespace: 'team-a' } },
    ],
    ['that was never injected', { ...aClient('a'), spec: { containers: [{ name: 'c' }] } }],
    ['that has ended', aClient('a', '20', 'team-a.demo', 'Succeeded')],
    ['with a label of another meaning', aClient('a', '20', 'x.y.z')],
    ['of a cluster that is not there', aClient('a', '20', 'team-a.ghost')],
  ])('copies nothing for a pod %s', async (_, pod) => {
    await start(pod);
    expect(api.writes).toEqual([]);
  });

  it('removes the copy with the last client', async () => {
    await start(aClient('a'), aClient('b'));
    expect(ownersOf()).toEqual(['a', 'b']);
    api.lastWatch.send('DELETED', aClient('a', '31'));
    await settle();
    expect(ownersOf()).toEqual(['b']);
    api.lastWatch.send('MODIFIED', aClient('b', '32', 'team-a.demo', 'Succeeded'));
    await settle();
    expect(api.writes).toEqual([`create ${COPY}`, `patch ${COPY}`, `delete ${COPY}`]);
  });

  it('writes nothing where all is as it should be, and no more than ten owners', async () => {
    await start(...Array.from({ length: 12 }, (_, index) => aClient(`p${index}`)));
    expect(ownersOf()).toHaveLength(10);
    api.lastWatch.send('ADDED', aClient('more', '31'));
    await settle(600_000);
    expect(api.writes).toEqual([`create ${COPY}`]);
    api.lastWatch.send('DELETED', aClient('p3', '32'));
    await settle();
    expect(ownersOf()).toEqual(['p0', 'p1', 'p2', 'p4', 'p5', 'p6', 'p7', 'p8', 'p9', 'p10']);
  });

  it('goes with the cluster', async () => {
    await start(aClient('a'));
    clusters.remove({ ...cluster, metadata: { ...cluster.metadata, resourceVersion: '2' } });
    await settle();
    expect(api.secrets.has(COPY)).toBe(false);
  });

  it('removes what is left of a cluster that went while nobody looked', async () => {
    api.put(COPY, {
      metadata: {
        name: 'dask-connect-team-a.demo',
        namespace: 'lab',
        labels: { 'app.kubernetes.io/managed-by': 'daskwarden' },
        annotations: { 'daskwarden.dev/connect-cluster': 'team-a/demo' },
      },
    });
    clusters.replace([], '2');
    await start(aClient('a'));
    expect(api.writes).toEqual([`delete ${COPY}`]);
  });

  it('follows a new incarnation, by what happens to the cluster', async () => {
    await start(aClient('a'));
    api.secrets.delete(SOURCE);
    const changed = (status: DaskCluster['status'], resourceVersion: string, uid = cluster.metadata.uid!) => {
      clusters.upsert({
        ...cluster,
        status: status!,
        metadata: { ...cluster.metadata, uid, resourceVersion },
      });
      return settle();
    };
    await changed({ phase: 'Stopped' }, '2');
    expect(api.secrets.has(COPY)).toBe(false);
    api.put(SOURCE, sourceOf(cluster, 'second'));
    await changed({ phase: 'Running' }, '3');
    expect(api.secrets.get(COPY)?.data).toEqual({ 'dask.crt': 'second', 'dask.pem': 'key' });
    const other = aCluster({ uid: 'other-uid' });
    api.put(SOURCE, sourceOf(other, 'third'));
    await changed({ phase: 'Running' }, '4', 'other-uid');
    expect(api.secrets.get(COPY)).toMatchObject({
      data: { 'dask.crt': 'third' },
      metadata: { annotations: { 'daskwarden.dev/connect-cluster-uid': 'other-uid' } },
    });
  });

  it('waits for a Secret that the cluster is about to make', async () => {
    api.secrets.delete(SOURCE);
    await start(aClient('a'));
    expect(api.writes).toEqual([]);
    api.put(SOURCE, sourceOf(cluster, 'late'));
    await settle(2_000);
    expect(api.secrets.get(COPY)?.data?.['dask.crt']).toBe('late');
  });

  it("does not take somebody else's Secret for the cluster's", async () => {
    api.put(SOURCE, { ...sourceOf(aCluster({ uid: 'before' }), 'x') });
    await start(aClient('a'));
    expect(api.writes).toEqual([]);
  });

  it('leaves a Secret alone that is in its way, says so, and takes its place later', async () => {
    api.put(COPY, { metadata: { name: 'dask-connect-team-a.demo', namespace: 'lab' }, data: { mine: 'x' } });
    await start(aClient('a'));
    expect(api.writes).toEqual([]);
    expect(String(lines.at(-1)?.['err'])).toBe(
      "NameStillTaken: Secret lab/dask-connect-team-a.demo: is not a copy that daskwarden made; delete it, so that the clients in this namespace get the cluster's certificate",
    );
    api.lastWatch.send('DELETED', aClient('a', '31'));
    await settle(60_000);
    expect(api.writes).toEqual([]);
    api.lastWatch.send('ADDED', aClient('b', '32'));
    api.secrets.delete(COPY);
    await settle(1_000);
    expect(api.writes).toEqual([`create ${COPY}`]);
  });

  it('puts back a copy that somebody deleted or changed', async () => {
    await start(aClient('a'));
    api.secrets.delete(COPY);
    await settle(600_000);
    api.put(COPY, { ...api.secrets.get(COPY)!, data: { 'dask.crt': 'forged', 'dask.pem': 'key' } });
    await settle(600_000);
    expect(api.secrets.get(COPY)?.data?.['dask.crt']).toBe('certificate');
    expect(api.writes).toEqual([`create ${COPY}`, `create ${COPY}`, `patch ${COPY}`]);
  });

  it('removes nothing before the clusters are known', async () => {
    await start(aClient('a'));
    ending.abort();
    await running;
    clusters = new Store<DaskCluster>({ log: recordedLog().log });
    ending = new AbortController();
    await start(aClient('a'));
    expect(api.writes).toEqual([`create ${COPY}`]);
    clusters.replace([cluster], '5');
    await settle(2_000);
    expect(api.writes).toEqual([`create ${COPY}`]);
  });
});
