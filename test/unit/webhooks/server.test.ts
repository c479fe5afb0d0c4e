import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { createConnection } from 'node:net';
import { connect } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAuthority, issueLeaf } from '../../../src/pki/authority.ts';
import { FieldPath } from '../../../src/api/field-path.ts';
import { asWarning, invalid } from '../../../src/core/findings.ts';
import { allow, deny } from '../../../webhooks/decision.ts';
import { aReviewBody } from './reviews.ts';
import { AUTHORITY, DNS_NAME, type Post, readAll, runningServer } from './running-server.ts';

const FINDING = invalid({
  rule: 'names',
  path: FieldPath.of('metadata', 'name'),
  value: 'A',
  message: 'must be lower case',
});
const REVIEW = JSON.stringify(aReviewBody());
const UID = '705ab4f5-6393-11e8-b7cc-42010a800002';
const { certificatePem: CA } = AUTHORITY;

describe('a review', () => {
  it('is answered over HTTP/1.1, on a connection that stays open for 120 s', async () => {
    const { post } = await runningServer({ '/judge': () => allow() });
    const { code, headers, body } = await post(REVIEW);
    expect({ code, body }).toEqual({
      code: 200,
      body: {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid: UID, allowed: true },
      },
    });
    expect(headers).toMatchObject({
      connection: 'keep-alive',
      'keep-alive': 'timeout=120',
      'content-type': 'application/json; charset=utf-8',
    });
  });

  it('reaches the handler of its path, whatever the query', async () => {
    const { post } = await runningServer({
      '/a': () => allow(),
      '/b': () => deny('Invalid', [FINDING]),
    });
    const answer = await post(REVIEW, { path: '/b?timeout=5s' });
    expect(answer.body).toMatchObject({ response: { allowed: false, status: { code: 422 } } });
  });

  it('may have 7 MiB, but not more', async () => {
    const { post } = await runningServer({ '/judge': () => allow() });
    const empty = JSON.stringify(aReviewBody({ object: { a: '' } })).length;
    const sized = (bytes: number): string =>
      JSON.stringify(aReviewBody({ object: { a: 'x'.repeat(bytes - empty) } }));
    expect((await post(sized(7 * 1024 * 1024))).code).toBe(200);
    expect((await post(sized(7 * 1024 * 1024 + 1))).code).toBe(413);
  });
});

describe('the log', () => {
  async function linesOf(decision: ReturnType<typeof allow | typeof deny>): Promise<object[]> {
    const { post, lines } = await runningServer({ '/judge': () => decision });
    await post(JSON.stringify(aReviewBody({ object: { spec: { secret: 'hunter2' } } })));
    return lines.map(({ time: _, name: __, ...line }) => line);
  }

  it('has a line for a denial, without the object', async () => {
    expect(await linesOf(deny('Invalid', [FINDING, FINDING]))).toEqual([
      {
        level: 'info',
        uid: UID,
        user: 'ada',
        operation: 'CREATE',
        kind: 'DaskCluster',
        namespace: 'team-a',
        object: 'demo',
        rules: ['names'],
        decision: 'deny',
        dryRun: false,
        msg: 'reviewed',
      },
    ]);
  });

  it('has a line for a warning', async () => {
    expect(await linesOf(allow([asWarning(FINDING)]))).toMatchObject([
      { decision: 'warn', rules: ['names'] },
    ]);
  });

  it('tells of a patch at debug level, and of a plain allowance not at all', async () => {
    const patch = [{ op: 'remove', path: '/spec/a' }] as const;
    expect(await linesOf(allow([], patch))).toMatchObject([{ level: 'debug', decision: 'patch' }]);
    expect(await linesOf(allow())).toEqual([]);
  });
});

describe('a bug of ours', () => {
  it('is a 500 with the uid, so that the failurePolicy decides, and shows nothing of the object', async () => {
    const { post, lines } = await runningServer({
      '/judge': ({ object }) => {
        throw new TypeError(`cannot read ${String(object?.['secret'])}`);
      },
    });
    const { code, body } = await post(JSON.stringify(aReviewBody({ object: { secret: 'hunter2' } })));
    expect({ code, body }).toEqual({
      code: 500,
      body: {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        code: 500,
        message: `internal error of daskwarden; its log names the cause at uid ${UID}`,
      },
    });
    expect(lines).toMatchObject([{ level: 'error', uid: UID, error: 'TypeError', msg: 'review failed' }]);
    expect(lines[0]?.['frames']).toEqual(expect.arrayContaining([expect.stringMatching(/server\.test\.ts/)]));
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('does not end the service', async () => {
    let calls = 0;
    const { post } = await runningServer({
      '/judge': () => {
        calls += 1;
        if (calls === 1) throw new Error('once');
        return allow();
      },
    });
    expect((await post(REVIEW)).code).toBe(500);
    expect((await post(REVIEW)).code).toBe(200);
  });
});

describe('what is no review', () => {
  it.each<[string, Post & { readonly text: string }, number, RegExp]>([
    ['an empty body', { text: '' }, 400, /Body cannot be empty/],
    ['no JSON', { text: '{"kind":' }, 400, /not valid JSON/],
    [
      'another content type',
      { text: REVIEW, headers: { 'content-type': 'text/plain' } },
      415,
      /must be application\/json/,
    ],
    ['no content type', { text: REVIEW, headers: { 'content-type': '' } }, 415, /must be application\/json/],
    ['another path', { text: REVIEW, path: '/other' }, 404, /POST to one of \/judge/],
    ['another method', { text: REVIEW, method: 'PUT' }, 404, /PUT is not served here/],
    ['a look with a browser', { text: '', method: 'GET' }, 404, /GET is not served here: POST to one of/],
    ['another object', { text: '{"kind":"Pod"}' }, 400, /kind must be AdmissionReview, not "Pod"/],
    ['a null', { text: 'null' }, 400, /must be one JSON object/],
    ['a prototype', { text: '{"__proto__":{"kind":"AdmissionReview"}}' }, 400, /kind must be/],
  ])('%s: a Status that says so', async (_, { text, ...options }, code, message) => {
    const { post, lines } = await runningServer({ '/judge': () => allow() });
    const answer = await post(text, options);
    expect(answer.code).toBe(code);
    expect(answer.body).toMatchObject({
      kind: 'Status',
      status: 'Failure',
      code,
      message: expect.stringMatching(message) as string,
    });
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it.each([
    ['a flood of headers', `POST /judge HTTP/1.1\r\n${'x: y\r\n'.repeat(3_000)}\r\n`, 431],
    ['no HTTP', 'EHLO example.org\r\n\r\n', 400],
    [
      'two lengths',
      'POST /judge HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
      400,
    ],
  ])('%s: a refusal, and the service goes on', async (_, bytes, code) => {
    const { dial, post } = await runningServer({ '/judge': () => allow() });
    const socket = await dial();
    socket.write(bytes);
    expect(await readAll(socket)).toMatch(new RegExp(`^HTTP/1.1 ${code} `));
    expect((await post(REVIEW)).code).toBe(200);
  });

  it('a body that ends too early is a 400, and one whose client is gone harms nobody', async () => {
    const { dial, post } = await runningServer({ '/judge': () => allow() });
    const head =
      'POST /judge HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n';
    const ended = await dial();
    ended.end(`${head}{"kind"`);
    expect(await readAll(ended)).toMatch(/^HTTP\/1.1 400 /);
    const gone = await dial();
    gone.write(`${head}{"kind"`);
    gone.destroy();
    expect((await post(REVIEW)).code).toBe(200);
  });

  it('a request that does not arrive in time is given up', async () => {
    const { dial, post } = await runningServer({ '/judge': () => allow() }, { requestTimeoutMs: 200 });
    const head = 'POST /judge HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
    for (const bytes of ['', head, `${head}content-length: 100\r\n\r\n{"kind"`]) {
      const slow = await dial();
      slow.write(bytes);
      expect(await readAll(slow), bytes).toMatch(/^HTTP\/1.1 408 /);
    }
    expect((await post(REVIEW)).code).toBe(200);
  });

  it('plain HTTP and TLS 1.1 get no answer', async () => {
    const { port, post } = await runningServer({ '/judge': () => allow() });
    const old = connect({ host: '127.0.0.1', port, ca: CA, servername: DNS_NAME, maxVersion: 'TLSv1.1' });
    await expect(once(old, 'secureConnect')).rejects.toThrow();
    expect((await post(REVIEW)).code).toBe(200);
  });
});

describe('a new leaf', () => {
  it('is for new connections; those that are open go on with theirs', async () => {
    const { server, port, post } = await runningServer({ '/judge': () => allow() });
    await post(REVIEW);
    const other = await createAuthority({ nowMs: Date.now(), randomBytes });
    server.useLeaf(
      await issueLeaf({ authority: other, dnsNames: [DNS_NAME], nowMs: Date.now(), randomBytes }),
    );
    expect((await post(REVIEW)).code).toBe(200);
    const trustingOld = connect({ host: '127.0.0.1', port, ca: CA, servername: DNS_NAME });
    await expect(once(trustingOld, 'secureConnect')).rejects.toThrow(/certificate/);
    const trustingNew = connect({ host: '127.0.0.1', port, ca: other.certificatePem, servername: DNS_NAME });
    await once(trustingNew, 'secureConnect');
    trustingNew.destroy();
  });

  it('that is none leaves the old one in use', async () => {
    const { server, post } = await runningServer({ '/judge': () => allow() });
    expect(() => {
      server.useLeaf({ certificatePem: 'no', privateKeyPem: 'no' });
    }).toThrow();
    const agent = new Agent();
    expect((await post(REVIEW, { agent })).code).toBe(200);
  });
});

describe('an end', () => {
  it('tells clients to leave while draining, and loses no call of theirs', async () => {
    const { server, post } = await runningServer({ '/judge': () => allow() });
    const clients = Array.from({ length: 10 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    onTestFinished(() => {
      for (const agent of clients) agent.destroy();
    });
    const codes: number[] = [];
    let draining = false;
    const busy = clients.map(async (agent) => {
      // Each goes on until it is told to close its connection, as a Go client does.
      for (;;) {
        const { code, headers } = await post(REVIEW, { agent });
        codes.push(code);
        if (draining && headers['connection'] === 'close') return;
      }
    });
    while (codes.length < 80) await post(REVIEW);
    draining = true;
    server.startDraining();
    await Promise.all(busy);
    await server.close();
    expect(new Set(codes)).toEqual(new Set([200]));
    expect(codes.length).toBeGreaterThanOrEqual(80);
  });

  it('waits for nobody who does not speak', async () => {
    const { server, dial, port } = await runningServer({ '/judge': () => allow() }, { closeGraceMs: 500 });
    const silent = await dial();
    const withoutHandshake = createConnection(port, '127.0.0.1');
    await once(withoutHandshake, 'connect');
    const startedMs = performance.now();
    await Promise.all([server.close(), once(silent, 'close'), once(withoutHandshake, 'close')]);
    expect(performance.now() - startedMs).toBeLessThan(4_000);
  });

  it('waits for the call under way', async () => {
    const { server, dial } = await runningServer({ '/judge': () => allow() });
    const socket = await dial();
    socket.write(
      `POST /judge HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${REVIEW.length}\r\n\r\n`,
    );
    socket.write(REVIEW.slice(0, 20));
    const closed = server.close();
    socket.write(REVIEW.slice(20));
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 200 .*connection: close/is);
    await closed;
  });
});
