import { beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/api/kubernetes.ts';
import { Expectations } from '../../../src/kube/expectations.ts';
import { Store } from '../../../src/kube/store.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { recordedLog } from './recorded-log.ts';

let store: Store<KubeObject>;
let expectations: Expectations<KubeObject>;
let elapsedMs: number;

beforeEach(() => {
  elapsedMs = 0;
  store = new Store({ log: recordedLog().log });
  const clock = { ...systemClock, monotonic: () => elapsedMs };
  expectations = new Expectations({ store, clock, maxAgeMs: 60_000, unansweredMaxAgeMs: 10_000 });
});

const posted = (name: string): KubeObject => ({ metadata: { namespace: 'ns', name } });
const object = (name: string, uid: string, resourceVersion: string): KubeObject => ({
  metadata: { namespace: 'ns', name, uid, resourceVersion },
});
const terminating = (name: string, uid: string, resourceVersion: string): KubeObject => ({
  metadata: {
    ...object(name, uid, resourceVersion).metadata,
    deletionTimestamp: '2026-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 30,
  },
});
const overlay = (): KubeObject[] => expectations.overlay('owner', store.list());

describe('a created object', () => {
  test('is there as posted, then as answered, then as the store shows it', () => {
    store.replace([], '5');
    expectations.creating('owner', posted('a'));
    expect(overlay()).toEqual([posted('a')]);
    expectations.created('owner', object('a', 'u', '6'));
    expect(overlay()).toEqual([object('a', 'u', '6')]);
    store.upsert(object('a', 'u', '8'));
    expect(overlay()).toEqual([object('a', 'u', '8')]);
  });

  test('does not come back when it came and went before anybody looked', () => {
    store.replace([], '5');
    expectations.created('owner', object('a', 'u', '6'));
    store.upsert(object('a', 'u', '6'));
    store.remove(object('a', 'u', '7'));
    expect(overlay()).toEqual([]);
  });

  test('does not come back when a new list does not show it', () => {
    store.replace([], '5');
    expectations.created('owner', object('a', 'u', '6'));
    store.replace([], '9');
    expect(overlay()).toEqual([]);
  });

  test('does not come back when the watch was faster than the answer', () => {
    store.replace([], '5');
    expectations.creating('owner', posted('a'));
    store.upsert(object('a', 'u', '6'));
    store.remove(object('a', 'u', '7'));
    expectations.created('owner', object('a', 'u', '6'));
    expect(overlay()).toEqual([]);
  });

  test('is gone at once when the POST was refused', () => {
    expectations.creating('owner', posted('a'));
    expectations.notCreated('owner', 'ns/a');
    expect(overlay()).toEqual([]);
  });

  test('whose answer was lost is believed until the store shows it', () => {
    expectations.creating('owner', posted('a'));
    store.upsert(object('a', 'u', '6'));
    expect(overlay()).toEqual([object('a', 'u', '6')]);
    store.remove(object('a', 'u', '7'));
    expect(overlay()).toEqual([]);
  });

  test('whose answer was lost is believed for a short time only', () => {
    expectations.creating('owner', posted('a'));
    elapsedMs = 9_999;
    expect(overlay()).toHaveLength(1);
    elapsedMs = 10_000;
    expect(overlay()).toEqual([]);
  });

  test('is believed over a namesake that the store still shows', () => {
    store.replace([object('a', 'old', '4')], '5');
    expectations.creating('owner', posted('a'));
    expect(overlay()).toEqual([posted('a')]);
    expectations.created('owner', object('a', 'new', '7'));
    store.upsert(object('a', 'old', '6'));
    expect(overlay()).toEqual([object('a', 'new', '7')]);
    store.upsert(object('a', 'new', '7'));
    expect(overlay()).toEqual([object('a', 'new', '7')]);
  });

  test('is not believed for ever', () => {
    store.replace([], '5');
    expectations.created('owner', object('a', 'u', '6'));
    elapsedMs = 60_000;
    expect(overlay()).toEqual([]);
  });

  test('is known by its UID where resource versions are no numbers', () => {
    store.replace([], 'x');
    expectations.created('owner', object('a', 'u', 'y'));
    expect(overlay()).toEqual([object('a', 'u', 'y')]);
    store.upsert(object('a', 'u', 'z'));
    expect(overlay()).toEqual([object('a', 'u', 'z')]);
  });
});

describe('a deleted object', () => {
  beforeEach(() => {
    store.replace([object('a', 'u', '4'), object('b', 'v', '4')], '5');
  });

  test('is gone, the others are not', () => {
    expectations.deleted('owner', object('a', 'u', '4'));
    expect(overlay()).toEqual([object('b', 'v', '4')]);
  });

  test('that stays for a while is shown as the answer has it', () => {
    expectations.deleted('owner', object('a', 'u', '4'), terminating('a', 'u', '6'));
    expect(overlay()).toEqual([terminating('a', 'u', '6'), object('b', 'v', '4')]);
    store.upsert(terminating('a', 'u', '6'));
    expect(overlay()).toContainEqual(terminating('a', 'u', '6'));
    store.remove(terminating('a', 'u', '7'));
    expect(overlay()).toEqual([object('b', 'v', '4')]);
  });

  test('that a finalizer holds is shown as the answer has it', () => {
    const { deletionGracePeriodSeconds: _, ...metadata } = terminating('a', 'u', '6').metadata;
    const held = { metadata: { ...metadata, finalizers: ['somebody/else'] } };
    expectations.deleted('owner', object('a', 'u', '4'), held);
    expect(overlay()).toContainEqual(held);
  });

  test('that was removed at once is gone, while the store still sees it going', () => {
    const last = terminating('a', 'u', '7');
    expectations.deleted('owner', object('a', 'u', '4'), {
      metadata: { ...last.metadata, deletionGracePeriodSeconds: 0 },
    });
    expect(overlay()).toEqual([object('b', 'v', '4')]);
    store.upsert(terminating('a', 'u', '6'));
    expect(overlay()).toEqual([object('b', 'v', '4')]);
  });

  test('that was removed at once is gone, though the answer tells no version', () => {
    const { resourceVersion: _, ...last } = terminating('a', 'u', '7').metadata;
    expectations.deleted('owner', object('a', 'u', '4'), {
      metadata: { ...last, deletionGracePeriodSeconds: 0 },
    });
    store.upsert(terminating('a', 'u', '6'));
    expect(overlay()).toEqual([object('b', 'v', '4')]);
    store.remove(terminating('a', 'u', '7'));
    store.upsert(object('a', 'next', '8'));
    expect(overlay()).toContainEqual(object('a', 'next', '8'));
  });

  test('that the store has not even seen created does not appear, without an answer either', () => {
    expectations.created('owner', object('c', 'w', '6'));
    expectations.deleted('owner', object('c', 'w', '6'));
    expect(overlay()).toHaveLength(2);
    store.upsert(object('c', 'w', '6'));
    expect(overlay()).toHaveLength(2);
    store.remove(object('c', 'w', '8'));
    expect(overlay()).toHaveLength(2);
  });

  test('that the store has not even seen created does not appear', () => {
    expectations.created('owner', object('c', 'w', '6'));
    const last = terminating('c', 'w', '8');
    expectations.deleted('owner', object('c', 'w', '6'), {
      metadata: { ...last.metadata, deletionGracePeriodSeconds: 0 },
    });
    expect(overlay()).toHaveLength(2);
    store.upsert(object('c', 'w', '6'));
    expect(overlay()).toHaveLength(2);
    store.remove(object('c', 'w', '8'));
    expect(overlay()).toHaveLength(2);
  });

  test('whose answer is its last state is gone all the same', () => {
    expectations.deleted('owner', object('a', 'u', '4'), object('a', 'u', '4'));
    expect(overlay()).toEqual([object('b', 'v', '4')]);
  });

  test('does not take its successor with it', () => {
    expectations.deleted('owner', object('a', 'u', '4'));
    store.upsert(object('a', 'next', '9'));
    expect(overlay()).toContainEqual(object('a', 'next', '9'));
  });

  test('that the store shows as terminating is left to the store', () => {
    expectations.deleted('owner', object('a', 'u', '4'));
    store.upsert(terminating('a', 'u', '6'));
    expect(overlay()).toContainEqual(terminating('a', 'u', '6'));
  });

  test('comes back if the store still shows it much later', () => {
    expectations.deleted('owner', object('a', 'u', '4'));
    elapsedMs = 60_000;
    expect(overlay()).toContainEqual(object('a', 'u', '4'));
  });
});

test('scopes do not see each other, and one can be forgotten', () => {
  expectations.created('owner', object('a', 'u', '6'));
  expectations.created('other', object('b', 'v', '7'));
  expect(overlay()).toEqual([object('a', 'u', '6')]);
  expectations.forget('owner');
  expect(overlay()).toEqual([]);
  expect(expectations.overlay('other', [])).toEqual([object('b', 'v', '7')]);
});
