import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PODS } from '../../../src/api/kubernetes.ts';
import type { KubeObject } from '../../../src/api/kubernetes.ts';
import type { ListPage } from '../../../src/kube/client.ts';
import { ApiError, TransportError } from '../../../src/kube/errors.ts';
import { Reflector } from '../../../src/kube/reflector.ts';
import { Store } from '../../../src/kube/store.ts';
import { WatchStreamError } from '../../../src/kube/watch-stream.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { recordedLog } from './recorded-log.ts';
import { ScriptedApi } from './scripted-api.ts';

let api: ScriptedApi;
let store: Store<KubeObject>;
let reflector: Reflector<KubeObject>;
let log: ReturnType<typeof recordedLog>;
let abort: AbortController;
let running: Promise<void>;

beforeEach(() => {
  vi.useFakeTimers();
  api = new ScriptedApi();
  log = recordedLog();
  store = new Store({ log: log.log });
  abort = new AbortController();
  reflector = new Reflector({
    client: api,
    resource: PODS,
    select: { namespace: 'ns', labelSelector: 'a=b' },
    store,
    log: log.log,
    clock: systemClock,
    random: () => 0.5,
  });
});
afterEach(async () => {
  abort.abort(new Error('test over'));
  await running;
  vi.useRealTimers();
});

const call = { method: 'GET', path: '/api/v1/pods' };
const gone = (): ApiError => new ApiError(call, 410, { reason: 'Expired' });
const broken = (): TransportError => new TransportError(call, 'unknown', new Error('ECONNRESET'));
const refused = (): TransportError => new TransportError(call, 'not-sent', new Error('ECONNREFUSED'));

function object(name: string, resourceVersion: string): KubeObject {
  return { metadata: { namespace: 'ns', name, uid: `uid-${name}`, resourceVersion } };
}
const bookmark = (resourceVersion: string): KubeObject => ({ metadata: { resourceVersion } });
const page = (resourceVersion: string, ...items: KubeObject[]): ListPage<KubeObject> => ({
  items,
  resourceVersion,
  continue: undefined,
});

/** Runs, and lets everything happen that needs no time. */
async function start(): Promise<void> {
  running = reflector.run(abort.signal);
  await settle();
}
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);
const seconds = (count: number): Promise<unknown> => vi.advanceTimersByTimeAsync(count * 1_000);
const shown = (): string[] =>
  store.list().map(({ metadata }) => `${metadata.name ?? ''}@${metadata.resourceVersion ?? ''}`);

describe('the normal course', () => {
  test('lists, is synced, and watches from the list on', async () => {
    api.answers.push(page('10', object('a', '4')));
    await start();
    await reflector.synced;
    expect(shown()).toEqual(['a@4']);
    expect(api.lists).toEqual([{ namespace: 'ns', labelSelector: 'a=b', limit: 500, continue: undefined }]);
    expect(api.lastWatch.query).toMatchObject({
      namespace: 'ns',
      labelSelector: 'a=b',
      resourceVersion: '10',
    });
    expect(reflector.relists).toBe(1);
  });

  test('applies events', async () => {
    api.answers.push(page('10', object('a', '4'), object('b', '5')));
    await start();
    api.lastWatch.send('ADDED', object('c', '11'));
    api.lastWatch.send('MODIFIED', object('a', '12'));
    api.lastWatch.send('DELETED', object('b', '13'));
    await settle();
    expect(shown()).toEqual(['a@12', 'c@11']);
    expect(store.resourceVersion).toBe('13');
    expect(reflector.lastEventAt).toBe(Date.now());
  });

  test('takes a list page by page', async () => {
    api.answers.push({ ...page('10', object('a', '4')), continue: 'next' }, page('10', object('b', '5')));
    await start();
    expect(shown()).toEqual(['a@4', 'b@5']);
    expect(api.lists.map((query) => query.continue)).toEqual([undefined, 'next']);
    expect(api.lastWatch.query.resourceVersion).toBe('10');
  });

  test('a list that expires between its pages is taken in one piece', async () => {
    api.answers.push(
      { ...page('10', object('a', '4')), continue: 'next' },
      gone(),
      page('20', object('b', '5')),
    );
    await start();
    expect(shown()).toEqual(['b@5']);
    expect(api.lists[2]).toEqual({ namespace: 'ns', labelSelector: 'a=b' });
    expect(api.lastWatch.query.resourceVersion).toBe('20');
  });

  test('a watch that ends is resumed at once from the last event or bookmark', async () => {
    await start();
    api.lastWatch.send('ADDED', object('a', '11'));
    api.lastWatch.send('BOOKMARK', bookmark('90'));
    api.lastWatch.end();
    await settle();
    expect(api.watches.map(({ query }) => query.resourceVersion)).toEqual(['1', '90']);
    expect(api.lists).toHaveLength(1);
    expect(store.resourceVersion).toBe('90');
  });

  test('the server is asked to end each watch after five to ten minutes', async () => {
    await start();
    expect(api.lastWatch.query.timeoutSeconds).toBe(450);
  });

  test('resolves only when told to stop, with watch and timers ended', async () => {
    await start();
    abort.abort();
    await running;
    expect(vi.getTimerCount()).toBe(0);
  });

  test('cannot run twice at a time', async () => {
    await start();
    await expect(reflector.run(abort.signal)).rejects.toThrow('the reflector of pods runs already');
  });
});

describe('synced', () => {
  test('waits for a list that succeeds', async () => {
    api.answers.push(refused(), new ApiError(call, 403, {}), page('10', object('a', '4')));
    let isSynced = false;
    void reflector.synced.then(() => (isSynced = true));
    await start();
    expect(isSynced).toBe(false);
    await seconds(5);
    expect(isSynced).toBe(true);
    expect(shown()).toEqual(['a@4']);
  });

  test('rejects when that never came', async () => {
    api.answers.push(refused());
    await start();
    abort.abort(new Error('stopping'));
    await expect(reflector.synced).rejects.toThrow('stopping');
  });
});

describe('a watch that breaks', () => {
  test.each([
    ['a broken connection', broken()],
    ['no connection', refused()],
    ['429', new ApiError(call, 429, {})],
    ['503', new ApiError(call, 503, {})],
    ['401: the token is being replaced', new ApiError(call, 401, {})],
  ])('is resumed where it was after %s', async (_, error) => {
    api.answers.push(page('10', object('a', '4')));
    await start();
    api.lastWatch.send('ADDED', object('b', '11'));
    api.lastWatch.fail(error);
    await seconds(1);
    expect(api.watches.map(({ query }) => query.resourceVersion)).toEqual(['10', '11']);
    expect(api.lists).toHaveLength(1);
    expect(shown()).toEqual(['a@4', 'b@11']);
  });

  test.each([
    ['410 in mid-watch', gone()],
    ['500', new ApiError(call, 500, {})],
    ['504: too large resource version', new ApiError(call, 504, { reason: 'Timeout' })],
  ])('leads to a new list after %s', async (_, error) => {
    api.answers.push(page('10', object('a', '4')), page('20', object('b', '15')));
    await start();
    api.lastWatch.fail(error);
    await seconds(1);
    expect(shown()).toEqual(['b@15']);
    expect(reflector.relists).toBe(2);
    expect(api.lastWatch.query.resourceVersion).toBe('20');
  });

  test('waits as long as the server asks', async () => {
    await start();
    api.lastWatch.fail(new ApiError(call, 429, {}, 20_000));
    await seconds(19);
    expect(api.watches).toHaveLength(1);
    await seconds(2);
    expect(api.watches).toHaveLength(2);
  });

  test('an API server that is away for long costs neither lists nor a storm of calls', async () => {
    await start();
    api.lastWatch.fail(broken());
    api.refusals.push(...Array.from({ length: 1_000 }, refused));
    await seconds(600);
    expect(api.lists).toHaveLength(1);
    expect(api.watches.length).toBeGreaterThan(600 / 30);
    expect(api.watches.length).toBeLessThan(60);
  });

  test('410 after a long absence is not made to wait for it', async () => {
    await start();
    api.lastWatch.fail(broken());
    api.refusals.push(...Array.from({ length: 7 }, refused));
    await seconds(60);
    expect(api.refusals).toEqual([]);
    api.lastWatch.fail(gone());
    await seconds(1);
    expect(reflector.relists).toBe(2);
  });

  test('410 again and again does not become a storm of lists', async () => {
    api.refusals.push(...Array.from({ length: 1_000 }, gone));
    await start();
    await seconds(300);
    expect(reflector.relists).toBeGreaterThan(10);
    expect(reflector.relists).toBeLessThan(40);
  });

  test('an event that can never be read is passed by with a new list', async () => {
    const unreadable = (): TransportError =>
      new TransportError(call, 'unknown', new WatchStreamError('the watch sent a line that is not JSON'));
    api.answers.push(page('10'), page('20', object('a', '15')));
    await start();
    api.lastWatch.fail(unreadable());
    api.refusals.push(unreadable(), unreadable());
    await seconds(30);
    expect(shown()).toEqual(['a@15']);
    expect(reflector.relists).toBe(2);
  });

  test('one that the server ends at once, again and again, is not reopened in a loop', async () => {
    await start();
    for (let i = 0; i < 50; i++) {
      api.lastWatch.end();
      await seconds(1);
    }
    expect(api.watches.length).toBeLessThan(15);
    expect(api.lists).toHaveLength(1);
  });

  test('the delay starts anew after two good minutes', async () => {
    await start();
    api.refusals.push(...Array.from({ length: 8 }, refused));
    api.lastWatch.fail(refused());
    await seconds(100);
    const before = api.watches.length;
    await seconds(110);
    api.lastWatch.fail(refused());
    await seconds(1);
    expect(api.watches.length).toBe(before + 1);
  });
});

describe('a watch that stays silent', () => {
  test('is given up after two and a half minutes and resumed', async () => {
    await start();
    api.lastWatch.send('BOOKMARK', bookmark('7'));
    await seconds(149);
    expect(api.watches).toHaveLength(1);
    await seconds(3);
    expect(api.watches.map(({ query }) => query.resourceVersion)).toEqual(['1', '7']);
    expect(api.lists).toHaveLength(1);
  });

  test('bookmarks alone keep it', async () => {
    await start();
    for (let minute = 1; minute <= 10; minute++) {
      await seconds(60);
      api.lastWatch.send('BOOKMARK', bookmark(String(minute + 1)));
    }
    expect(api.watches).toHaveLength(1);
  });
});

describe('a server that went back in time', () => {
  test.each([
    ['an older event', 'MODIFIED', object('a', '9')],
    ['the same version again', 'MODIFIED', object('a', '20')],
    ['an older bookmark', 'BOOKMARK', bookmark('9')],
    ['an event without a version', 'ADDED', { metadata: { name: 'x' } }],
  ] as const)('is listed anew: %s', async (_, type, late) => {
    api.answers.push(page('10', object('a', '4')), page('8', object('restored', '3')));
    await start();
    api.lastWatch.send('ADDED', object('lost', '20'));
    api.lastWatch.send(type, late);
    await seconds(1);
    expect(shown()).toEqual(['restored@3']);
    expect(api.lastWatch.query.resourceVersion).toBe('8');
  });

  test('a bookmark of the version that is known is none', async () => {
    await start();
    api.lastWatch.send('BOOKMARK', bookmark('1'));
    await seconds(5);
    expect(api.lists).toHaveLength(1);
    expect(api.watches).toHaveLength(1);
  });
});

test('failures are told with what comes next, and no object', async () => {
  await start();
  api.lastWatch.fail(gone());
  await settle();
  expect(log.lines).toMatchObject([
    {
      level: 'warn',
      resource: 'pods',
      delayMs: 400,
      msg: 'list or watch failed, listing anew after a delay',
    },
  ]);
});
