import { randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Authority, AuthorityError, createAuthority, issueLeaf } from '../../../src/pki/authority.ts';
import { serviceDnsNames } from '../../../src/pki/service-dns-names.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.now();
let authority: Authority;

beforeAll(async () => {
  authority = await createAuthority({ nowMs: NOW_MS, randomBytes });
});

test('the authority is a CA for 365 days from now, valid since five minutes', () => {
  const certificate = new X509Certificate(authority.certificatePem);
  expect(certificate.ca).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.validToDate.getTime()).toBe(floorToSeconds(NOW_MS + 365 * DAY_MS));
  expect(certificate.validFromDate.getTime()).toBe(floorToSeconds(NOW_MS - 300_000));
});

test('a leaf is signed by the authority, lives 7 days and names the Service', async () => {
  const leaf = await issueLeaf({
    authority,
    dnsNames: serviceDnsNames('webhook', 'dask'),
    nowMs: NOW_MS + DAY_MS,
    randomBytes,
  });
  const certificate = new X509Certificate(leaf.certificatePem);
  const ca = new X509Certificate(authority.certificatePem);
  expect(certificate.checkIssued(ca)).toBe(true);
  expect(certificate.verify(ca.publicKey)).toBe(true);
  expect(certificate.ca).toBe(false);
  expect(certificate.subjectAltName).toBe(
    'DNS:webhook, DNS:webhook.dask, DNS:webhook.dask.svc, DNS:webhook.dask.svc.cluster.local',
  );
  expect(certificate.validToDate.getTime()).toBe(floorToSeconds(NOW_MS + 8 * DAY_MS));
});

test('a leaf never outlives the authority and never begins before it', async () => {
  const ca = new X509Certificate(authority.certificatePem);
  const late = await leafAt(NOW_MS + 364 * DAY_MS);
  expect(late.validToDate).toEqual(ca.validToDate);
  const early = await leafAt(ca.validFromDate.getTime());
  expect(early.validFromDate).toEqual(ca.validFromDate);
});

test('a TLS client that trusts the authority accepts a leaf for its names and for no other', async () => {
  const leaf = await issueLeaf({
    authority,
    dnsNames: serviceDnsNames('webhook', 'dask'),
    nowMs: NOW_MS,
    randomBytes,
  });
  const server = tls.createServer({ cert: leaf.certificatePem, key: leaf.privateKeyPem }, (socket) => {
    socket.end('served');
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const dial = async (servername: string): Promise<string> => {
    const socket = tls.connect({ host: '127.0.0.1', port, servername, ca: authority.certificatePem });
    return (await socket.toArray()).join('');
  };
  await expect(dial('webhook.dask.svc')).resolves.toBe('served');
  await expect(dial('other.dask.svc')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

describe('an authority that cannot issue', () => {
  async function refusal(broken: Partial<Authority>, nowMs = NOW_MS): Promise<unknown> {
    const request = { authority: { ...authority, ...broken }, dnsNames: ['x'] as const, nowMs, randomBytes };
    return issueLeaf({ ...request, dnsNames: ['x'] }).catch((error: unknown) => error);
  }

  test('is not PEM, and no key material is in the message', async () => {
    const error = await refusal({ privateKeyPem: 'secret material' });
    expect(error).toBeInstanceOf(AuthorityError);
    expect(String(error)).toContain('is not PEM');
    expect(String(error)).not.toContain('secret material');
  });

  test("has another authority's key", async () => {
    const other = await createAuthority({ nowMs: NOW_MS, randomBytes });
    expect(String(await refusal({ privateKeyPem: other.privateKeyPem }))).toContain(
      'is not the one of its certificate',
    );
  });

  test('is a leaf', async () => {
    const leaf = await issueLeaf({ authority, dnsNames: ['x'], nowMs: NOW_MS, randomBytes });
    expect(String(await refusal(leaf))).toContain('must be a CA');
  });

  test.each([
    ['expired', NOW_MS + 366 * DAY_MS, 'it has expired at '],
    ['not valid yet', NOW_MS - DAY_MS, 'it is not valid before '],
  ])('is %s', async (_name, nowMs, message) => {
    expect(String(await refusal({}, nowMs))).toContain(message);
  });
});

async function leafAt(nowMs: number): Promise<X509Certificate> {
  const leaf = await issueLeaf({ authority, dnsNames: ['x'], nowMs, randomBytes });
  return new X509Certificate(leaf.certificatePem);
}

function floorToSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
