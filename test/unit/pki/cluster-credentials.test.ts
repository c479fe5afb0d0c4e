import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type ClusterCredentials, createClusterCredentials } from '../../../src/pki/cluster-credentials.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2031, 1, 3, 4, 5, 6);

test('the certificate names the cluster, is valid for a year and began five minutes ago', async () => {
  const { certificatePem } = await createClusterCredentials({ cluster: 'demo', nowMs: NOW_MS, randomBytes });
  const certificate = new X509Certificate(certificatePem);
  expect(certificate.subject).toBe('CN=dask-internal');
  expect(certificate.issuer).toBe('CN=dask-internal');
  expect(certificate.subjectAltName).toBe('DNS:demo, DNS:dask-internal');
  expect(certificate.validFromDate).toEqual(new Date(NOW_MS - 300_000));
  expect(certificate.validToDate).toEqual(new Date(NOW_MS + 365 * DAY_MS));
});

test('validity and key type are as asked, also beyond 2050', async () => {
  const credentials = await createClusterCredentials({
    cluster: 'demo',
    nowMs: Date.UTC(2049, 11, 31),
    validityMs: 2 * DAY_MS,
    keyType: 'RSA-2048',
    randomBytes,
  });
  const certificate = new X509Certificate(credentials.certificatePem);
  expect(certificate.validToDate).toEqual(new Date(Date.UTC(2050, 0, 2)));
  expect(certificate.publicKey.asymmetricKeyDetails).toMatchObject({ modulusLength: 2048 });
});

test('the key is PKCS#8 and belongs to the certificate', async () => {
  const credentials = await createClusterCredentials({ cluster: 'demo', nowMs: NOW_MS, randomBytes });
  expect(credentials.privateKeyPem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  const key = createPrivateKey(credentials.privateKeyPem);
  expect(key.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  expect(new X509Certificate(credentials.certificatePem).checkPrivateKey(key)).toBe(true);
});

test('the token is the 16 random bytes in hexadecimal and nothing else', async () => {
  const { apiToken } = await createClusterCredentials({
    cluster: 'demo',
    nowMs: NOW_MS,
    randomBytes: (size) => new Uint8Array(size).fill(0xab),
  });
  expect(apiToken).toBe('ab'.repeat(16));
});

test('two clusters share nothing', async () => {
  const [one, two] = await Promise.all([
    createClusterCredentials({ cluster: 'demo', nowMs: NOW_MS, randomBytes }),
    createClusterCredentials({ cluster: 'demo', nowMs: NOW_MS, randomBytes }),
  ]);
  expect(one.apiToken).not.toBe(two.apiToken);
  expect(one.privateKeyPem).not.toBe(two.privateKeyPem);
  expect(new X509Certificate(one.certificatePem).serialNumber).not.toBe(
    new X509Certificate(two.certificatePem).serialNumber,
  );
});

describe.each(['P-256', 'RSA-2048'] as const)('mutual TLS with %s credentials', (keyType) => {
  let own: ClusterCredentials;
  let foreign: ClusterCredentials;

  beforeAll(async () => {
    const request = { cluster: 'demo', nowMs: Date.now(), keyType, randomBytes };
    [own, foreign] = await Promise.all([
      createClusterCredentials(request),
      createClusterCredentials(request),
    ]);
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('over %s', async (version) => {
    const port = await listen(own);
    const dial = (options: tls.ConnectionOptions): Promise<string> =>
      answer({
        host: '127.0.0.1',
        port,
        servername: 'dask-internal',
        minVersion: version,
        maxVersion: version,
        ...options,
      });
    const trust = { ca: own.certificatePem };
    expect(await dial({ ...trust, ...certificateAndKey(own) })).toBe('computed');
    expect(await dial(trust), 'without a certificate').not.toBe('computed');
    expect(await dial({ ...trust, ...certificateAndKey(foreign) }), 'as another cluster').not.toBe(
      'computed',
    );
    expect(
      await dial({ ca: foreign.certificatePem, ...certificateAndKey(own) }),
      'the server is another',
    ).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  });
});

/** What the server sent, or the code of the error with which the connection ended. */
async function answer(options: tls.ConnectionOptions): Promise<string> {
  try {
    return (await tls.connect(options).toArray()).join('');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

function certificateAndKey(credentials: ClusterCredentials): { cert: string; key: string } {
  return { cert: credentials.certificatePem, key: credentials.privateKeyPem };
}

async function listen(credentials: ClusterCredentials): Promise<number> {
  const server = tls.createServer(
    {
      ...certificateAndKey(credentials),
      ca: credentials.certificatePem,
      requestCert: true,
      rejectUnauthorized: true,
    },
    (socket) => socket.end('computed'),
  );
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
