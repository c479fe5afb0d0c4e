import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { EVENTS, PODS, VALIDATING_WEBHOOKS } from '../../../src/api/kubernetes.ts';
import type { Pod } from '../../../src/api/kubernetes.ts';
import { RateLimiter } from '../../../src/kube/rate-limiter.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { clientOf, json, localServer } from './local-server.ts';

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns' },
  spec: { containers: [] },
};
const at = { namespace: 'ns', name: 'p' };

describe('a request', () => {
  test('says who asks, with the token of the moment', async () => {
    const tokens = ['one', 'two'];
    const server = await localServer((_, response) => {
      json(response, 200, pod);
    });
    const credentials = () => Promise.resolve({ token: tokens.shift() ?? '', impersonateUser: 'jane' });
    const client = clientOf(server.url, { access: { server: server.url, credentials } });
    await client.get(PODS, at);
    expect(server.requests[0]?.headers).toMatchObject({
      'user-agent': 'daskwarden/1.2.3',
      accept: 'application/json',
      authorization: expect.stringMatching(/^Bearer (one|two)$/) as string,
      'impersonate-user': 'jane',
    });
  });

  test('goes below the path of the server, as a proxy for many clusters has it', async () => {
    const server = await localServer((_, response) => {
      json(response, 200, pod);
    });
    await clientOf(`${server.url}/k8s/clusters/c-1/`).get(PODS, at);
    expect(server.requests[0]?.path).toBe('/k8s/clusters/c-1/api/v1/namespaces/ns/pods/p');
  });

  test('reuses connections', async () => {
    const server = await localServer((_, response) => {
      json(response, 200, pod);
    });
    const client = clientOf(server.url);
    for (let i = 0; i < 20; i++) await client.get(PODS, at);
    // The second request may come before the first one's connection is seen to be free.
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  test('never uses more connections than allowed', async () => {
    const server = await localServer((_, response) =>
      setTimeout(() => {
        json(response, 200, pod);
      }, 5),
    );
    const client = clientOf(server.url, { connections: 3 });
    await Promise.all(Array.from({ length: 30 }, () => client.get(PODS, at)));
    expect(server.connections()).toBe(3);
  });

  test('gives up at its deadline, without knowing what became of it', async () => {
    const server = await localServer(() => undefined);
    const error = await clientOf(server.url, { timeoutMs: 50 }).create(PODS, at, pod).catch(String);
    expect(error).toMatch(/POST \/api\/v1\/namespaces\/ns\/pods\/p: no answer within 50 ms/);
  });

  test('a deadline also covers a body that never ends', async () => {
    const server = await localServer((_, response) => response.writeHead(200).write('{"kind":'));
    await expect(clientOf(server.url, { timeoutMs: 50 }).get(PODS, at)).rejects.toThrow(
      'no answer within 50 ms',
    );
  });

  test('ends with the reason of the caller', async () => {
    const server = await localServer(() => undefined);
    const abort = new AbortController();
    const creating = clientOf(server.url).create(PODS, at, pod, { signal: abort.signal });
    abort.abort(new Error('stopping'));
    await expect(creating).rejects.toThrow(/^stopping$/);
  });

  test('leaves nothing behind at a signal that lives on', async () => {
    const server = await localServer((_, response) => {
      json(response, 200, pod);
    });
    const client = clientOf(server.url, { limiter: new RateLimiter({ clock: systemClock }) });
    const { signal } = new AbortController();
    for (let i = 0; i < 5; i++) await client.get(PODS, at, { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('an answer that is not JSON is no answer', async () => {
    const server = await localServer((_, response) => response.writeHead(200).end('<html>'));
    await expect(clientOf(server.url).get(PODS, at)).rejects.toMatchObject({
      name: 'TransportError',
      outcome: 'unknown',
      message: 'GET /api/v1/namespaces/ns/pods/p: the answer is not JSON',
    });
  });

  test('of another path comes back as it is', async () => {
    const server = await localServer((_, response) => response.writeHead(200).end('ok'));
    expect(await clientOf(server.url).request('GET', '/readyz', { query: { verbose: true } })).toBe('ok');
    expect(server.requests[0]).toMatchObject({ path: '/readyz', query: { verbose: 'true' } });
  });
});

describe('verbs', () => {
  test('list asks for a page and fills in what its items are', async () => {
    const server = await localServer((_, response) => {
      json(response, 200, {
        metadata: { resourceVersion: '7', continue: 'next' },
        items: [{ metadata: { name: 'e' } }],
      });
    });
    const page = await clientOf(server.url).list(EVENTS, { labelSelector: 'a=b,c in (d)', limit: 10 });
    expect(page).toEqual({
      items: [{ apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: 'e' } }],
      resourceVersion: '7',
      continue: 'next',
    });
    expect(server.requests[0]).toMatchObject({
      path: '/apis/events.k8s.io/v1/events',
      query: { labelSelector: 'a=b,c in (d)', limit: '10' },
    });
  });

  test('the last page has no token, and no items are an empty list', async () => {
    const server = await localServer((_, response) => {
      json(response, 200, { metadata: { resourceVersion: '7', continue: '' }, items: null });
    });
    expect(await clientOf(server.url).list(PODS)).toEqual({
      items: [],
      resourceVersion: '7',
      continue: undefined,
    });
  });

  test('create posts to the collection', async () => {
    const server = await localServer((request, response) => {
      json(response, 201, JSON.parse(request.body));
    });
    const created = await clientOf(server.url).create(PODS, { namespace: 'ns' }, pod, {
      dryRun: true,
      fieldManager: 'me',
    });
    expect(created).toEqual(pod);
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      path: '/api/v1/namespaces/ns/pods',
      query: { dryRun: 'All', fieldManager: 'me' },
      headers: { 'content-type': 'application/json' },
    });
  });

  test('create without a namespace is refused before it is sent', async () => {
    await expect(clientOf('http://127.0.0.1:1').create(PODS, {}, pod)).rejects.toThrow(
      'Pod: namespace: must be given',
    );
  });

  test.each([
    [
      { type: 'json', operations: [{ op: 'remove', path: '/a' }] } as const,
      'application/json-patch+json',
      '[{"op":"remove","path":"/a"}]',
      {},
    ],
    [{ type: 'merge', body: { a: null } } as const, 'application/merge-patch+json', '{"a":null}', {}],
    [
      { type: 'apply', body: { a: 1 }, force: true } as const,
      'application/apply-patch+yaml',
      '{"a":1}',
      { force: 'true' },
    ],
  ])('patch %j has its content type', async (patch, contentType, body, query) => {
    const server = await localServer((_, response) => {
      json(response, 200, pod);
    });
    await clientOf(server.url).patch(PODS, { ...at, subresource: 'status' }, patch, { fieldManager: 'me' });
    expect(server.requests[0]).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/namespaces/ns/pods/p/status',
      query: { fieldManager: 'me', ...query },
      headers: { 'content-type': contentType },
      body,
    });
  });

  test('delete carries its preconditions', async () => {
    const server = await localServer((_, response) => {
      json(response, 200, { kind: 'Status', status: 'Success' });
    });
    await clientOf(server.url).delete(PODS, at, {
      uid: 'u',
      gracePeriodSeconds: 0,
      propagationPolicy: 'Background',
    });
    expect(server.requests[0]?.method).toBe('DELETE');
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
      propagationPolicy: 'Background',
      preconditions: { uid: 'u' },
    });
  });

  test('a delete without conditions states none', async () => {
    const server = await localServer((_, response) => {
      json(response, 200, { kind: 'Status' });
    });
    await clientOf(server.url).delete(VALIDATING_WEBHOOKS, { name: 'w' });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ apiVersion: 'v1', kind: 'DeleteOptions' });
    expect(server.requests[0]?.path).toBe(
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/w',
    );
  });
});
