import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { KubeObject, Resource } from '../../../src/api/kubernetes.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { NamespaceCache } from '../../../src/kube/namespace-cache.ts';
import { poll } from '../../support/poll.ts';
import { recordedLog } from '../kube/recorded-log.ts';
import { ScriptedApi } from '../kube/scripted-api.ts';

function aNamespace(name: string, resourceVersion: string, owner = 'ada'): KubeObject {
  return {
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion,
      labels: { tier: 'gold' },
      annotations: { 'daskwarden.dev/owner': owner, 'example.org/long': 'x'.repeat(1000) },
    },
  };
}

function facts(name: string, owner = 'ada'): object {
  return { name, labels: { tier: 'gold' }, annotations: { 'daskwarden.dev/owner': owner } };
}

class FakeApi extends ScriptedApi {
  readonly stored = new Map<string, KubeObject | Error>();
  readonly looked: string[] = [];

  get<T extends KubeObject>(_: Resource, { name }: { readonly name: string }): Promise<T> {
    this.looked.push(name);
    const found = this.stored.get(name) ?? new ApiError({ method: 'GET', path: '/' }, 404, {});
    return found instanceof Error ? Promise.reject(found) : Promise.resolve(found as T);
  }
}

let api: FakeApi;
let cache: NamespaceCache;

beforeEach(async () => {
  api = new FakeApi();
  api.answers.push({ items: [aNamespace('team-a', '5')], resourceVersion: '10', continue: undefined });
  cache = new NamespaceCache({ client: api, clock: systemClock, random: () => 0, log: recordedLog().log });
  const ending = new AbortController();
  const running = cache.run(ending.signal);
  onTestFinished(async () => {
    ending.abort();
    await running;
  });
  await cache.synced;
});

describe('NamespaceCache', () => {
  it('knows labels, and of the annotations ours', () => {
    expect(cache.get('team-a')).toEqual(facts('team-a'));
    expect(cache.get('team-b')).toBeUndefined();
  });

  it('follows what happens to namespaces', async () => {
    await poll(
      'the watch',
      () => Promise.resolve(api.watches.length),
      (count) => count > 0,
    );
    api.lastWatch.send('ADDED', aNamespace('team-b', '11'));
    api.lastWatch.send('MODIFIED', aNamespace('team-a', '12', 'bob'));
    const seen = (): Promise<unknown> => Promise.resolve([cache.get('team-a'), cache.get('team-b')]);
    const both = [facts('team-a', 'bob'), facts('team-b')];
    expect(await poll('both', seen, (now) => JSON.stringify(now) === JSON.stringify(both))).toEqual(both);
    api.lastWatch.send('DELETED', aNamespace('team-b', '13'));
    await poll('the end of team-b', seen, (now) => Array.isArray(now) && now[1] === undefined);
  });

  it('asks for one that it has not seen, and only then', async () => {
    api.stored.set('new', aNamespace('new', '20'));
    expect(await cache.find('team-a')).toEqual(facts('team-a'));
    expect(api.looked).toEqual([]);
    expect(await cache.find('new')).toEqual(facts('new'));
    expect(await cache.find('ghost')).toBeUndefined();
    expect(await cache.find('')).toBeUndefined();
    expect(api.looked).toEqual(['new', 'ghost']);
  });

  it('does not take a failure for an absence', async () => {
    api.stored.set('new', new ApiError({ method: 'GET', path: '/' }, 500, {}));
    await expect(cache.find('new')).rejects.toThrow(ApiError);
  });
});
