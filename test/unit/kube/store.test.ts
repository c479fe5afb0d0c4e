import { describe, expect, test } from 'vitest';
import type { KubeObject, Pod } from '../../../src/api/kubernetes.ts';
import { Store } from '../../../src/kube/store.ts';
import type { StoreEvent } from '../../../src/kube/store.ts';
import { recordedLog } from './recorded-log.ts';

interface PodOptions {
  readonly uid?: string;
  readonly version?: string;
  readonly owner?: string;
  readonly node?: string;
}

function pod(name: string, options: PodOptions = {}): Pod {
  const { uid = `uid-${name}`, version = '1', owner, node } = options;
  const reference = { apiVersion: 'v1', kind: 'Owner', name: 'o', uid: owner ?? '', controller: true };
  return {
    metadata: {
      name,
      namespace: 'ns',
      uid,
      resourceVersion: version,
      ...(owner === undefined ? {} : { ownerReferences: [reference] }),
    },
    spec: { containers: [], ...(node === undefined ? {} : { nodeName: node }) },
  };
}

function storeOf(): { store: Store<Pod>; events: string[] } {
  const store = new Store<Pod>({
    log: recordedLog().log,
    indexes: { node: ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]) },
  });
  const events: string[] = [];
  store.subscribe((event) => void events.push(told(event)));
  return { store, events };
}

function told({ type, object, old }: StoreEvent<Pod>): string {
  const of = (pod: Pod): string => `${pod.metadata.uid ?? ''}@${pod.metadata.resourceVersion ?? ''}`;
  return `${type} ${of(object)}${old === undefined ? '' : ` was ${of(old)}`}`;
}

const namesOf = (pods: readonly Pod[]): (string | undefined)[] =>
  pods.map(({ metadata }) => metadata.name).sort();

describe('events', () => {
  test('tell what changed, with the state before', () => {
    const { store, events } = storeOf();
    store.upsert(pod('a'));
    store.upsert(pod('a', { version: '2' }));
    store.remove(pod('a', { version: '3' }));
    expect(events).toEqual(['add uid-a@1', 'update uid-a@2 was uid-a@1', 'delete uid-a@3 was uid-a@2']);
    expect(store.size).toBe(0);
  });

  test('come when the store shows the change already', () => {
    const { store } = storeOf();
    const seen: unknown[] = [];
    store.subscribe(({ type, object }) => seen.push([type, store.get('ns/a') === object]));
    store.upsert(pod('a'));
    store.remove(pod('a'));
    expect(seen).toEqual([
      ['add', true],
      ['delete', false],
    ]);
  });

  test('do not come for what the store knows, and not after unsubscribing', () => {
    const { store, events } = storeOf();
    const more: unknown[] = [];
    const unsubscribe = store.subscribe((event) => more.push(event));
    store.upsert(pod('a'));
    store.upsert(pod('a'));
    unsubscribe();
    store.remove(pod('b'));
    store.remove(pod('a'));
    expect(events).toHaveLength(2);
    expect(more).toHaveLength(1);
  });

  test('a subscriber that throws is told of in the log and harms no other', () => {
    const { log, lines } = recordedLog();
    const store = new Store<Pod>({ log });
    store.subscribe(() => {
      throw new Error('my fault');
    });
    const seen: string[] = [];
    store.subscribe((event) => seen.push(event.type));
    store.upsert(pod('a'));
    expect(seen).toEqual(['add']);
    expect(lines[0]).toMatchObject({ level: 'error', key: 'ns/a', err: { message: 'my fault' } });
  });
});

describe('another object of the same name', () => {
  test('is a delete and an add when a list shows it', () => {
    const { store, events } = storeOf();
    store.replace([pod('a', { uid: 'old', version: '5' })], '5');
    store.replace([pod('a', { uid: 'new', version: '9' })], '9');
    expect(events.slice(1)).toEqual(['delete old@5 was old@5', 'add new@9']);
  });

  test('is a delete and an add when a watch shows it', () => {
    const { store, events } = storeOf();
    store.upsert(pod('a', { uid: 'old' }));
    store.upsert(pod('a', { uid: 'new', version: '9' }));
    expect(events.slice(1)).toEqual(['delete old@1 was old@1', 'add new@9']);
  });
});

test('replace tells only differences, and keeps the objects that did not change', () => {
  const { store, events } = storeOf();
  store.replace([pod('same'), pod('gone'), pod('changed')], '1');
  const same = store.get('ns/same');
  events.length = 0;
  store.replace([pod('same'), pod('changed', { version: '2' }), pod('new')], '7');
  expect(events.sort()).toEqual([
    'add uid-new@1',
    'delete uid-gone@1 was uid-gone@1',
    'update uid-changed@2 was uid-changed@1',
  ]);
  expect(store.get('ns/same')).toBe(same);
  expect(store.resourceVersion).toBe('7');
});

test('the resource version follows events and bookmarks', () => {
  const { store } = storeOf();
  expect(store.resourceVersion).toBeUndefined();
  store.upsert(pod('a', { version: '3' }));
  expect(store.resourceVersion).toBe('3');
  store.remove(pod('a', { version: '5' }));
  expect(store.resourceVersion).toBe('5');
  store.advance('9');
  expect(store.resourceVersion).toBe('9');
});

describe('indexes', () => {
  test('by owner and by function follow every change', () => {
    const { store } = storeOf();
    store.replace([pod('a', { owner: 'x', node: 'n1' }), pod('b', { owner: 'x' }), pod('c')], '1');
    expect(namesOf(store.byOwner('x'))).toEqual(['a', 'b']);
    expect(namesOf(store.byIndex('node', 'n1'))).toEqual(['a']);
    store.upsert(pod('a', { version: '2', owner: 'y', node: 'n2' }));
    store.remove(pod('b'));
    expect(store.byOwner('x')).toEqual([]);
    expect(namesOf(store.byOwner('y'))).toEqual(['a']);
    expect(store.byIndex('node', 'n1')).toEqual([]);
    store.upsert(pod('a', { uid: 'other', node: 'n3' }));
    expect(store.byOwner('y')).toEqual([]);
    expect(namesOf(store.byIndex('node', 'n3'))).toEqual(['a']);
  });

  test('an owner that is no controller does not count', () => {
    const { store } = storeOf();
    const owned = pod('a', { owner: 'x' });
    const [reference] = owned.metadata.ownerReferences!;
    const { controller: _, ...plain } = reference!;
    store.upsert({ ...owned, metadata: { ...owned.metadata, ownerReferences: [plain] } });
    expect(store.byOwner('x')).toEqual([]);
  });

  test('an unknown index is named, with those that are there', () => {
    expect(() => storeOf().store.byIndex('zone', 'z')).toThrow(
      "index 'zone' is not there; the store has: node",
    );
  });
});

describe('prepare', () => {
  const applied = 'kubectl.kubernetes.io/last-applied-configuration';

  test('drops managed fields and the last applied configuration, and nothing else', () => {
    const raw = {
      ...pod('a'),
      status: { phase: 'Running', future: { unknown: [1] } },
      metadata: {
        ...pod('a').metadata,
        managedFields: [{ manager: 'x' }],
        annotations: { [applied]: '{}', kept: 'yes' },
      },
    };
    const prepared = storeOf().store.prepare(raw);
    expect(prepared).toEqual({
      ...pod('a'),
      status: { phase: 'Running', future: { unknown: [1] } },
      metadata: { ...pod('a').metadata, annotations: { kept: 'yes' } },
    });
  });

  test('freezes to the bottom, however deep', () => {
    let deep: Record<string, unknown> = { end: true };
    for (let i = 0; i < 100_000; i++) deep = { deep };
    const prepared = storeOf().store.prepare({ ...pod('a', { owner: 'x' }), deep } as Pod);
    expect(() => Object.assign(prepared.metadata, { name: 'b' })).toThrow(TypeError);
    expect(() => Object.assign(prepared.metadata.ownerReferences![0]!, { uid: '' })).toThrow(TypeError);
    let level = (prepared as unknown as { deep: Record<string, unknown> }).deep;
    while (level['deep'] !== undefined) level = level['deep'] as Record<string, unknown>;
    expect(Object.isFrozen(level)).toBe(true);
  });

  test('keeps what the projection keeps', () => {
    interface Slim extends KubeObject {
      readonly node: string | undefined;
    }
    const store = new Store<Slim, Pod>({
      log: recordedLog().log,
      project: ({ metadata, spec }) => ({ metadata, node: spec.nodeName }),
    });
    store.upsert(store.prepare(pod('a', { node: 'n1' })));
    expect(store.list()).toEqual([{ metadata: pod('a').metadata, node: 'n1' }]);
    expect(Object.isFrozen(store.list()[0])).toBe(true);
  });
});
