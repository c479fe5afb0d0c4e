import { expect, test } from 'vitest';
import { EVENTS } from '../../src/api/kubernetes.ts';
import type { KubeObject } from '../../src/api/kubernetes.ts';
import { EventRecorder } from '../../src/kube/event-recorder.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { adminClient, CONFIG_MAPS, configMap, coreResource } from '../support/kube-client.ts';
import { freshNamespace } from '../support/namespaces.ts';
import { poll } from '../support/poll.ts';

const log = createLogger({ name: 'test', level: 'error' });

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
