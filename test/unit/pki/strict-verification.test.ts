import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import { createAuthority, issueLeaf } from '../../../src/pki/authority.ts';
import { createClusterCredentials } from '../../../src/pki/cluster-credentials.ts';
import type { KeyType } from '../../../src/pki/key-pair.ts';
import { serviceDnsNames } from '../../../src/pki/service-dns-names.ts';

const run = promisify(execFile);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daskwarden-pki-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('cluster credentials', () => {
  test.for([
    ['P-256', 'server', Date.now()],
    ['P-256', 'client', Date.now()],
    ['RSA-2048', 'server', Date.now()],
    ['RSA-2048', 'client', Date.now()],
    ['P-256', 'server', Date.UTC(2050, 5, 1)],
  ] as const)('OpenSSL verifies a strict %s %s at %i ms', async ([keyType, role, nowMs], context) => {
    await requireOpenSsl(context);
    const { certificate } = await clusterCredentials(keyType, nowMs);
    const args = ['-purpose', `ssl${role}`, '-CAfile', certificate, certificate];
    await expect(openSslVerify(nowMs, args)).resolves.toBe(`${certificate}: OK\n`);
  });

  test.for(['P-256', 'RSA-2048'] as const)(
    "Python's ssl shakes hands over %s, both sides strict",
    async (keyType, context) => {
      await requirePython(context);
      const { certificate, key } = await clusterCredentials(keyType, Date.now());
      const { stdout } = await run('python3', ['-c', STRICT_HANDSHAKE, certificate, key]);
      expect(stdout.trim()).toBe('server saw DNS dask-internal; client saw DNS dask-internal');
    },
  );
});

test('OpenSSL verifies a webhook leaf strictly, for the name that the API server asks for', async (context) => {
  await requireOpenSsl(context);
  const nowMs = Date.now();
  const authority = await createAuthority({ nowMs, randomBytes });
  const dnsNames = serviceDnsNames('webhook', 'dask');
  const leaf = await issueLeaf({ authority, dnsNames, nowMs, randomBytes });
  const ca = await save('authority.crt', authority.certificatePem);
  const certificate = await save('leaf.crt', leaf.certificatePem);
  const verify = (name: string): Promise<string> =>
    openSslVerify(nowMs, ['-purpose', 'sslserver', '-verify_hostname', name, '-CAfile', ca, certificate]);
  await expect(verify('webhook.dask.svc')).resolves.toBe(`${certificate}: OK\n`);
  await expect(verify('webhook.other.svc')).rejects.toThrow('hostname mismatch');
});

/** Client and server in one process, each with VERIFY_X509_STRICT and a certificate demanded of the other. */
const STRICT_HANDSHAKE = `
import ssl, sys
certificate, key = sys.argv[1:]

def context(protocol):
    made = ssl.SSLContext(protocol)
    made.verify_flags |= ssl.VERIFY_X509_STRICT
    made.check_hostname = protocol == ssl.PROTOCOL_TLS_CLIENT
    made.verify_mode = ssl.CERT_REQUIRED
    made.load_verify_locations(certificate)
    made.load_cert_chain(certificate, key)
    return made

to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
client = context(ssl.PROTOCOL_TLS_CLIENT).wrap_bio(to_client, to_server, server_hostname="dask-internal")
server = context(ssl.PROTOCOL_TLS_SERVER).wrap_bio(to_server, to_client, server_side=True)
pending = [client, server]
for _ in range(10):
    for side in list(pending):
        try:
            side.do_handshake()
            pending.remove(side)
        except ssl.SSLWantReadError:
            pass
assert not pending, "the handshake did not end"
name = lambda side: " ".join(side.getpeercert()["subjectAltName"][-1])
print(f"server saw {name(server)}; client saw {name(client)}")
`;

async function save(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content, { mode: 0o600 });
  return path;
}

async function openSslVerify(atMs: number, args: readonly string[]): Promise<string> {
  const time = ['-attime', String(Math.floor(atMs / 1000))];
  const { stdout } = await run('openssl', ['verify', '-x509_strict', ...time, ...args]);
  return stdout;
}

async function clusterCredentials(
  keyType: KeyType,
  nowMs: number,
): Promise<{ certificate: string; key: string }> {
  const credentials = await createClusterCredentials({ cluster: 'demo', nowMs, keyType, randomBytes });
  return {
    certificate: await save('dask.crt', credentials.certificatePem),
    key: await save('dask.pem', credentials.privateKeyPem),
  };
}

/** LibreSSL's command of the same name knows fewer options. */
async function requireOpenSsl(context: TestContext): Promise<void> {
  const version = await run('openssl', ['version']).then(({ stdout }) => stdout, String);
  if (!version.startsWith('OpenSSL ')) context.skip(`needs OpenSSL's command line: ${version}`);
}

async function requirePython(context: TestContext): Promise<void> {
  const check = await run('python3', ['-c', 'import ssl; ssl.VERIFY_X509_STRICT']).catch(String);
  if (typeof check === 'string') context.skip(`needs Python 3 with ssl.VERIFY_X509_STRICT: ${check}`);
}
