import { randomBytes, X509Certificate } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Secret } from '../../../src/api/kubernetes.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import { type Authority, createAuthority } from '../../../src/pki/authority.ts';
import { serviceDnsNames } from '../../../src/pki/service-dns-names.ts';
import { type Leaf, LeafKeeper } from '../../../webhooks/certificate.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';
import { recordedLog } from '../kube/recorded-log.ts';
import { AUTHORITY } from './running-server.ts';

const DAY_MS = 86_400_000;
const NOT_FOUND = new ApiError({ method: 'GET', path: '/secret' }, 404, { reason: 'NotFound' });

function secretOf({ certificatePem, privateKeyPem }: Authority): Secret {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return { metadata: {}, data: { 'tls.crt': base64(certificatePem), 'tls.key': base64(privateKeyPem) } };
}

/** A keeper at work that found this at first; `found` may be changed. */
function atWork(first: Secret | Error) {
  const clock = new SteppedClock(Date.now());
  const { log, lines } = recordedLog();
  const used: Leaf[] = [];
  const state = { found: first, refuse: false };
  const asked: unknown[] = [];
  const keeper = new LeafKeeper({
    client: {
      get: <T>(_: unknown, at: unknown) => {
        asked.push(at);
        return state.found instanceof Error ? Promise.reject(state.found) : Promise.resolve(state.found as T);
      },
    },
    secret: { namespace: 'dask', name: 'daskwarden-webhook-ca' },
    dnsNames: serviceDnsNames('hook', 'dask'),
    useLeaf: (leaf) => {
      if (state.refuse) throw new Error('key values mismatch');
      used.push(leaf);
    },
    clock,
    randomBytes,
    log,
  });
  const ending = new AbortController();
  const run = keeper.run(ending.signal);
  onTestFinished(async () => {
    ending.abort();
    await run;
  });
  return { keeper, clock, used, state, lines, asked };
}

describe('LeafKeeper', () => {
  it('issues a leaf for the Service, of the authority that it found by name', async () => {
    const { keeper, clock, used, asked } = atWork(secretOf(AUTHORITY));
    expect(keeper.authority).toBeUndefined();
    expect(await clock.asleep()).toBe(10_000);
    expect(asked).toEqual([{ namespace: 'dask', name: 'daskwarden-webhook-ca' }]);
    const certificate = new X509Certificate(used[0]?.certificatePem ?? '');
    expect(certificate.verify(new X509Certificate(AUTHORITY.certificatePem).publicKey)).toBe(true);
    expect(certificate.checkHost('hook.dask.svc')).toBe('hook.dask.svc');
    expect(keeper.authority).toBe(AUTHORITY.certificatePem);
  });

  it('waits for the authority, and says so once', async () => {
    const { keeper, clock, state, lines } = atWork(NOT_FOUND);
    expect(await clock.asleep()).toBe(250);
    expect(await clock.step(250)).toBe(500);
    expect(await clock.step(500)).toBe(1_000);
    expect(await clock.step(1_000)).toBe(2_000);
    expect(await clock.step(2_000)).toBe(2_000);
    expect(keeper.authority).toBeUndefined();
    expect(lines).toMatchObject([
      { level: 'info', msg: 'waiting for the controller to make the certificate authority' },
    ]);
    state.found = secretOf(AUTHORITY);
    expect(await clock.step(2_000)).toBe(10_000);
    expect(keeper.authority).toBe(AUTHORITY.certificatePem);
  });

  it('keeps a leaf for two thirds of its life', async () => {
    const { clock, used } = atWork(secretOf(AUTHORITY));
    await clock.step(10_000);
    await clock.step(4.6 * DAY_MS);
    expect(used).toHaveLength(1);
    await clock.step(0.1 * DAY_MS);
    expect(used).toHaveLength(2);
    await clock.step(10_000);
    expect(used).toHaveLength(2);
  });

  it('knows when its leaf expires, and looks for another one sooner when it has', async () => {
    const { keeper, clock, state } = atWork(secretOf(AUTHORITY));
    expect(keeper.notAfterMs).toBeUndefined();
    await clock.asleep();
    const notAfterMs = Math.floor((clock.now() + 7 * DAY_MS) / 1000) * 1000;
    expect(keeper.notAfterMs).toBe(notAfterMs);
    state.found = NOT_FOUND;
    expect(await clock.step(6.9 * DAY_MS)).toBe(10_000);
    expect(await clock.step(0.2 * DAY_MS)).toBe(250);
    state.found = secretOf(AUTHORITY);
    expect(await clock.step(250)).toBe(10_000);
  });

  it('follows the authority at once', async () => {
    const { keeper, clock, used, state } = atWork(secretOf(AUTHORITY));
    await clock.asleep();
    const other = await createAuthority({ nowMs: clock.now(), randomBytes });
    state.found = secretOf(other);
    await clock.step(10_000);
    expect(used).toHaveLength(2);
    expect(keeper.authority).toBe(other.certificatePem);
  });

  it.each([
    ['the Secret is gone', NOT_FOUND],
    ['the API server is away', new Error('connect ECONNREFUSED')],
    ['the Secret has lost its keys', { metadata: {}, data: {} }],
    ['the Secret has something else', { metadata: {}, data: { 'tls.crt': 'AAAA', 'tls.key': 'AAAA' } }],
  ])('goes on with its leaf when %s, and says so once', async (_, found) => {
    const { keeper, clock, used, state, lines } = atWork(secretOf(AUTHORITY));
    await clock.asleep();
    state.found = found;
    await clock.step(10_000);
    expect(await clock.step(10_000)).toBe(10_000);
    expect(used).toHaveLength(1);
    expect(keeper.authority).toBe(AUTHORITY.certificatePem);
    expect(lines).toHaveLength(2);
  });

  it('tells of the same problem again when it was gone in between', async () => {
    const { clock, state, lines } = atWork(secretOf(AUTHORITY));
    await clock.asleep();
    for (const found of [NOT_FOUND, secretOf(AUTHORITY), NOT_FOUND, NOT_FOUND]) {
      state.found = found;
      await clock.step(10_000);
    }
    expect(lines.map(({ msg }) => msg)).toEqual([
      'a new serving certificate is in use',
      'the serving certificate could not be renewed',
      'the serving certificate could not be renewed',
    ]);
  });

  it('is not ready with a leaf that the server refused', async () => {
    const { keeper, clock, state } = atWork(NOT_FOUND);
    await clock.asleep();
    state.refuse = true;
    state.found = secretOf(AUTHORITY);
    await clock.step(250);
    expect(keeper.authority).toBeUndefined();
    state.refuse = false;
    await clock.step(250);
    expect(keeper.authority).toBe(AUTHORITY.certificatePem);
  });

  it('never logs a key', async () => {
    const { clock, state, lines } = atWork(secretOf(AUTHORITY));
    await clock.asleep();
    const other = await createAuthority({ nowMs: clock.now(), randomBytes });
    state.found = secretOf({ ...AUTHORITY, privateKeyPem: other.privateKeyPem });
    await clock.step(5 * DAY_MS);
    expect(lines).toMatchObject([{ level: 'info' }, { level: 'warn' }]);
    for (const key of [AUTHORITY.privateKeyPem, other.privateKeyPem]) {
      const secret = key.split('\n')[1] ?? '';
      expect(secret.length).toBeGreaterThan(40);
      expect(JSON.stringify(lines)).not.toContain(secret);
    }
  });
});
