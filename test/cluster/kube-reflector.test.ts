import { describe, expect, onTestFinished, test } from 'vitest';
import { PODS } from '../../src/api/kubernetes.ts';
import type { Pod } from '../../src/api/kubernetes.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { Expectations } from '../../src/kube/expectations.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import { Store } from '../../src/kube/store.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { adminClient, unschedulablePod } from '../support/kube-client.ts';
import { freshNamespace } from '../support/namespaces.ts';
import { poll } from '../support/poll.ts';

const log = createLogger({ name: 'test', level: 'error' });

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
    await client.create(PODS, { namespace }, unschedulablePod(namespace, 'before'));
    const store = await mirroredPods(client, namespace);
    expect(store.list().map(({ metadata }) => metadata.name)).toEqual(['before']);

    const events: string[] = [];
    store.subscribe(({ type, object }) => events.push(`${type} ${object.metadata.name ?? ''}`));
    const first = await client.create(PODS, { namespace }, unschedulablePod(namespace, 'p'));
    const labels = { type: 'merge', body: { metadata: { labels: { a: 'b' } } } } as const;
    await client.patch(PODS, { namespace, name: 'p' }, labels);
    await client.delete(PODS, { namespace, name: 'p' }, { gracePeriodSeconds: 0 });
    const second = await client.create(PODS, { namespace }, unschedulablePod(namespace, 'p'));
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
      const posted = unschedulablePod(namespace, `p-${i}`);
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
