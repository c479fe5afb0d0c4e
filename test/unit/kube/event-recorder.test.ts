import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { KubeObject, Resource } from '../../../src/api/kubernetes.ts';
import type { CollectionAddress, ObjectAddress } from '../../../src/kube/resource-path.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import { EventRecorder } from '../../../src/kube/event-recorder.ts';
import type { EventRecorderOptions } from '../../../src/kube/event-recorder.ts';
import type { Occurrence } from '../../../src/kube/event.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { recordedLog } from './recorded-log.ts';

interface Write {
  readonly verb: 'create' | 'patch';
  readonly name: string | undefined;
  readonly body: Record<string, unknown>;
}

const { log, lines } = recordedLog();
let writes: Write[];
let failure: Error | undefined;
let recorder: EventRecorder;
let abort: AbortController;
let running: Promise<void>;

function write(entry: Write): Promise<never> {
  writes.push(entry);
  return failure === undefined ? Promise.resolve({} as never) : Promise.reject(failure);
}

const client = {
  create: (_: Resource, __: CollectionAddress, object: KubeObject) =>
    write({ verb: 'create', name: object.metadata.name, body: object as unknown as Record<string, unknown> }),
  patch: (_: Resource, { name }: ObjectAddress, patch: { body: Record<string, unknown> }) =>
    write({ verb: 'patch', name, body: patch.body }),
} as unknown as EventRecorderOptions['client'];

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00.5Z') });
  writes = [];
  lines.length = 0;
  failure = undefined;
  abort = new AbortController();
  const reporter = { controller: 'daskwarden.dev/controller', instance: 'pod-1' };
  recorder = new EventRecorder({ client, reporter, log, clock: systemClock });
  running = recorder.run(abort.signal);
});
afterEach(async () => {
  abort.abort();
  await running;
  vi.useRealTimers();
});

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

function occurrence(changes: Partial<Occurrence> = {}, object = 'a'): Occurrence {
  const metadata = { namespace: 'ns', name: object, uid: `uid-${object}`, resourceVersion: '5' };
  const regarding = { apiVersion: 'gateway.dask.org/v1alpha1', kind: 'DaskCluster', metadata };
  return { regarding, type: 'Normal', reason: 'Started', note: 'The scheduler runs.', ...changes };
}

test('one Event for one occurrence', async () => {
  recorder.record(occurrence({ action: 'StartScheduler' }));
  await settle();
  expect(writes).toEqual([
    {
      verb: 'create',
      name: expect.stringMatching(/^a\.[0-9a-f]+$/) as string,
      body: {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace: 'ns', name: writes[0]!.name },
        eventTime: '2026-01-01T00:00:00.500000Z',
        type: 'Normal',
        reason: 'Started',
        action: 'StartScheduler',
        note: 'The scheduler runs.',
        reportingController: 'daskwarden.dev/controller',
        reportingInstance: 'pod-1',
        regarding: {
          apiVersion: 'gateway.dask.org/v1alpha1',
          kind: 'DaskCluster',
          namespace: 'ns',
          name: 'a',
          uid: 'uid-a',
          resourceVersion: '5',
        },
      },
    },
  ]);
});

test('an Event is annotated as its object asks, and another annotation begins another Event', async () => {
  const annotate = ({ metadata }: KubeObject) => ({ version: String(metadata.generation) });
  const reporter = { controller: 'daskwarden.dev/controller', instance: 'pod-1' };
  const annotating = new EventRecorder({ client, reporter, log, clock: systemClock, annotate });
  const ended = annotating.run(abort.signal);
  for (const generation of [1, 1, 2]) {
    const { regarding, ...said } = occurrence();
    annotating.record({
      ...said,
      regarding: { ...regarding, metadata: { ...regarding.metadata, generation } },
    });
    await settle();
  }
  expect(
    writes.map(({ verb, body }) => [
      verb,
      (body['metadata'] as KubeObject['metadata'] | undefined)?.annotations,
    ]),
  ).toEqual([
    ['create', { version: '1' }],
    ['patch', undefined],
    ['create', { version: '2' }],
  ]);
  abort.abort();
  await ended;
});

describe('what repeats', () => {
  test('is counted in the same Event', async () => {
    recorder.record(occurrence());
    await settle();
    await vi.advanceTimersByTimeAsync(60_000);
    recorder.record(occurrence());
    await settle();
    expect(writes.slice(1)).toEqual([
      {
        verb: 'patch',
        name: writes[0]!.name,
        body: { series: { count: 2, lastObservedTime: '2026-01-01T00:01:00.500000Z' } },
      },
    ]);
  });

  test('before it was written is one write', async () => {
    for (let i = 0; i < 10; i++) recorder.record(occurrence());
    await settle();
    expect(writes.map(({ verb }) => verb)).toEqual(['create', 'patch']);
    expect(writes[1]!.body).toMatchObject({ series: { count: 10 } });
  });

  test('after six quiet minutes is a new Event', async () => {
    recorder.record(occurrence());
    await settle();
    await vi.advanceTimersByTimeAsync(6 * 60_000);
    recorder.record(occurrence());
    await settle();
    expect(writes.map(({ verb }) => verb)).toEqual(['create', 'create']);
    expect(writes[1]!.name).not.toBe(writes[0]!.name);
  });

  test('is written anew when its Event expired', async () => {
    recorder.record(occurrence());
    await settle();
    failure = new ApiError({ method: 'PATCH', path: '/' }, 404, { reason: 'NotFound' });
    recorder.record(occurrence());
    await settle();
    expect(writes.map(({ verb }) => verb)).toEqual(['create', 'patch', 'create']);
    expect(writes[2]!.body).not.toHaveProperty('series');
    failure = undefined;
    recorder.record(occurrence());
    await settle();
    expect(writes[3]!.verb).toBe('create');
  });

  test.each([
    ['reason', occurrence({ reason: 'Stopped' })],
    ['note', occurrence({ note: 'other' })],
    ['type', occurrence({ type: 'Warning' })],
    ['action', occurrence({ action: 'Other' })],
    ['object', occurrence({}, 'b')],
  ])('with another %s is no repetition', async (_, other) => {
    recorder.record(occurrence());
    recorder.record(other);
    await settle();
    expect(writes.map(({ verb }) => verb)).toEqual(['create', 'create']);
    expect(new Set(writes.map(({ name }) => name)).size).toBe(2);
  });
});

describe('too much', () => {
  test('about one object does not become a stream of writes; the count is kept', async () => {
    for (let i = 0; i < 1_000; i++) {
      recorder.record(occurrence());
      await settle();
    }
    expect(writes).toHaveLength(25);
    expect(recorder.dropped).toBe(975);
    await vi.advanceTimersByTimeAsync(30_000);
    recorder.record(occurrence());
    await settle();
    expect(writes.at(-1)!.body).toMatchObject({ series: { count: 1_001 } });
  });

  test('about one object leaves the others their say', async () => {
    for (let i = 0; i < 100; i++) recorder.record(occurrence({ note: String(i) }));
    recorder.record(occurrence({}, 'b'));
    await settle();
    expect(writes.at(-1)!.name).toMatch(/^b\./);
  });

  test('at once is left out, so that memory stays bounded', () => {
    for (let i = 0; i < 5_000; i++) recorder.record(occurrence({}, String(i)));
    expect(recorder.dropped).toBeGreaterThanOrEqual(3_999);
  });
});

test('a write that fails is counted, told once, and harms nobody', async () => {
  failure = new ApiError({ method: 'POST', path: '/' }, 403, { reason: 'Forbidden' });
  for (const name of ['a', 'b', 'c']) recorder.record(occurrence({}, name));
  await settle();
  expect(recorder.failed).toBe(3);
  expect(lines).toHaveLength(1);
  failure = undefined;
  recorder.record(occurrence({}, 'd'));
  recorder.record(occurrence({}, 'a'));
  await settle();
  expect(writes.slice(-2).map(({ verb }) => verb)).toEqual(['create', 'create']);
});

test('recording after the end is no fault', async () => {
  abort.abort();
  await running;
  recorder.record(occurrence());
  await settle();
  expect(writes).toEqual([]);
});
