import { describe, expect, test } from 'vitest';
import { PODS } from '../../../src/api/kubernetes.ts';
import type { Pod } from '../../../src/api/kubernetes.ts';
import { ApiError, TransportError } from '../../../src/kube/errors.ts';
import { clientOf, json, localServer, refuse } from './local-server.ts';

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns' },
  spec: { containers: [] },
};
const at = { namespace: 'ns', name: 'p' };

describe('a refusal', () => {
  test('carries what the Status says, and names method and path', async () => {
    const details = { name: 'p', kind: 'Pod', causes: [{ field: 'spec', message: 'bad' }] };
    const server = await localServer((_, response) => {
      json(response, 422, {
        kind: 'Status',
        code: 422,
        reason: 'Invalid',
        message: 'Pod "p" is invalid',
        details,
      });
    });
    const error = await clientOf(server.url)
      .create(PODS, at, pod, { fieldManager: 'me' })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details,
      message: 'POST /api/v1/namespaces/ns/pods/p: 422 Pod "p" is invalid',
    });
  });

  test('that is no Status shows nothing of its body', async () => {
    const server = await localServer((_, response) => response.writeHead(502).end('<html>SECRET</html>'));
    const error = await clientOf(server.url)
      .get(PODS, at)
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 502, reason: '' });
    expect(String(error)).not.toContain('SECRET');
    expect(JSON.stringify(error)).not.toMatch(/SECRET|TOKEN/);
  });

  test.each(['POST', 'GET'] as const)(
    'a %s that is throttled waits as long as it was told',
    async (method) => {
      let calls = 0;
      const server = await localServer((_, response) => {
        if (++calls > 2) json(response, 200, pod);
        else
          json(
            response,
            calls === 1 ? 429 : 503,
            { kind: 'Status', reason: 'TooManyRequests' },
            { 'retry-after': '0' },
          );
      });
      const client = clientOf(server.url);
      const startedAt = performance.now();
      await (method === 'GET' ? client.get(PODS, at) : client.create(PODS, { namespace: 'ns' }, pod));
      expect(calls).toBe(3);
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(195);
    },
  );

  test('whose wait is longer than the deadline is told at once', async () => {
    const server = await localServer((_, response) => {
      json(response, 429, { kind: 'Status' }, { 'retry-after': '60' });
    });
    const startedAt = performance.now();
    await expect(clientOf(server.url).get(PODS, at)).rejects.toMatchObject({
      code: 429,
      retryAfterMs: 60_000,
    });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(server.requests).toHaveLength(1);
  });

  test('without Retry-After is final', async () => {
    const server = await localServer((_, response) => {
      refuse(response, 503, 'ServiceUnavailable');
    });
    await expect(clientOf(server.url).get(PODS, at)).rejects.toMatchObject({ code: 503 });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a broken connection', () => {
  test('a POST whose answer is lost is not sent again', async () => {
    const server = await localServer((_, response) => response.destroy());
    const error = await clientOf(server.url)
      .create(PODS, { namespace: 'ns' }, pod)
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ outcome: 'unknown' });
    expect(server.requests).toHaveLength(1);
  });

  test('a GET is sent again', async () => {
    let calls = 0;
    const server = await localServer((_, response) => {
      if (++calls === 1) response.destroy();
      else json(response, 200, pod);
    });
    expect(await clientOf(server.url).get(PODS, at)).toEqual(pod);
  });

  test('where nobody listens nothing was sent', async () => {
    const server = await localServer(() => undefined);
    await server.close();
    await expect(clientOf(server.url).create(PODS, { namespace: 'ns' }, pod)).rejects.toMatchObject({
      outcome: 'not-sent',
      message: expect.stringContaining('ECONNREFUSED') as string,
    });
  });

  test('without credentials nothing was sent', async () => {
    const access = {
      server: 'http://127.0.0.1:1',
      credentials: () => Promise.reject(new Error('token file is empty')),
    };
    await expect(clientOf('', { access }).delete(PODS, at)).rejects.toMatchObject({
      outcome: 'not-sent',
      message: 'DELETE /api/v1/namespaces/ns/pods/p: token file is empty',
    });
  });

  test('a certificate that cannot be read is an error of that request, and no crash', async () => {
    const access = {
      server: 'https://127.0.0.1:1',
      credentials: () =>
        Promise.resolve({ caPem: 'not a PEM', clientCertificate: { certPem: 'x', keyPem: 'y' } }),
    };
    await expect(clientOf('', { access }).create(PODS, at, pod)).rejects.toMatchObject({
      outcome: 'not-sent',
    });
  });
});
