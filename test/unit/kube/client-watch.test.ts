import { describe, expect, test } from 'vitest';
import { PODS } from '../../../src/api/kubernetes.ts';
import type { Pod } from '../../../src/api/kubernetes.ts';
import { all, clientOf, json, localServer, refuse } from './local-server.ts';

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns' },
  spec: { containers: [] },
};
const at = { namespace: 'ns', name: 'p' };
const idle = new AbortController().signal;

describe('watch', () => {
  const event = (type: string, resourceVersion: string): string =>
    `${JSON.stringify({ type, object: { ...pod, metadata: { name: 'p', namespace: 'ns', resourceVersion } } })}\n`;
  const from = { namespace: 'ns', resourceVersion: '1', timeoutSeconds: 300 };

  test('gives the events in order and ends with the stream', async () => {
    const server = await localServer((_, response) => {
      response.writeHead(200);
      response.end(event('ADDED', '2') + event('BOOKMARK', '3'));
    });
    const seen: string[] = [];
    for await (const { type, object } of clientOf(server.url).watch(PODS, from, idle)) {
      seen.push(`${type} ${object.metadata.resourceVersion ?? ''}`);
    }
    expect(seen).toEqual(['ADDED 2', 'BOOKMARK 3']);
    expect(server.requests[0]).toMatchObject({
      path: '/api/v1/namespaces/ns/pods',
      query: { watch: 'true', allowWatchBookmarks: 'true', resourceVersion: '1', timeoutSeconds: '300' },
    });
  });

  test('does not take a connection from the requests', async () => {
    const server = await localServer((request, response) => {
      if (request.query['watch'] === 'true') response.writeHead(200).flushHeaders();
      else json(response, 200, pod);
    });
    const client = clientOf(server.url, { connections: 1 });
    const abort = new AbortController();
    const watching = Array.from({ length: 5 }, () =>
      all(client.watch(PODS, from, abort.signal)).catch(() => 'ended'),
    );
    expect(await client.get(PODS, at)).toEqual(pod);
    abort.abort();
    expect(await Promise.all(watching)).toEqual(Array(5).fill('ended'));
  });

  test('an ERROR event is thrown as what it is', async () => {
    const server = await localServer((_, response) =>
      response
        .writeHead(200)
        .end(
          '{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}\n',
        ),
    );
    await expect(all(clientOf(server.url).watch(PODS, from, idle))).rejects.toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'GET /api/v1/namespaces/ns/pods: 410 too old',
    });
  });

  test('a refusal is an ApiError', async () => {
    const server = await localServer((_, response) => {
      refuse(response, 403, 'Forbidden');
    });
    await expect(all(clientOf(server.url).watch(PODS, from, idle))).rejects.toMatchObject({
      code: 403,
    });
    expect(server.requests).toHaveLength(1);
  });

  test('a connection that breaks is a TransportError, after what came before it', async () => {
    const server = await localServer((_, response) => {
      response.writeHead(200);
      response.write(event('ADDED', '2'), () => response.destroy());
    });
    const seen: string[] = [];
    await expect(async () => {
      for await (const { type } of clientOf(server.url).watch(PODS, from, idle)) seen.push(type);
    }).rejects.toMatchObject({ name: 'TransportError', outcome: 'unknown' });
    expect(seen).toEqual(['ADDED']);
  });

  test('ends with the reason of the caller', async () => {
    const server = await localServer((_, response) => {
      response.writeHead(200).flushHeaders();
    });
    const abort = new AbortController();
    const watching = all(clientOf(server.url).watch(PODS, from, abort.signal));
    abort.abort(new Error('stopping'));
    await expect(watching).rejects.toThrow(/^stopping$/);
  });

  test('whoever stops reading frees the connection', async () => {
    const closed = Promise.withResolvers<undefined>();
    const server = await localServer((_, response) => {
      response.on('close', () => {
        closed.resolve(undefined);
      });
      response.writeHead(200).write(event('ADDED', '2'));
    });
    for await (const { type } of clientOf(server.url).watch(PODS, from, idle)) {
      expect(type).toBe('ADDED');
      break;
    }
    await closed.promise;
  });
});
