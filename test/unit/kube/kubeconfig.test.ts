import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubeconfigAccess } from '../../../src/kube/kubeconfig.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
});
afterAll(() => rm(directory, { recursive: true }));

interface Entry {
  readonly name: string;
  readonly cluster?: object;
  readonly user?: object;
  readonly namespace?: string;
}

/** One context, cluster and user of the same name for each entry; the first is current. */
async function kubeconfig(file: string, ...entries: Entry[]): Promise<string> {
  const path = join(directory, file);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': entries[0]?.name,
    clusters: entries.map(({ name, cluster }) => ({
      name,
      cluster: { server: `https://${name}:6443`, ...cluster },
    })),
    users: entries.map(({ name, user }) => ({ name, user: user ?? {} })),
    contexts: entries.map(({ name, namespace }) => ({
      name,
      context: { cluster: name, user: name, namespace },
    })),
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('reads server, CA, client certificate and namespace of the current context', async () => {
  const path = await kubeconfig('certs', {
    name: 'a',
    namespace: 'team',
    cluster: { 'certificate-authority-data': base64('CA'), 'tls-server-name': 'kubernetes' },
    user: { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
  });
  const access = await kubeconfigAccess({ path });
  expect(access).toMatchObject({
    server: 'https://a:6443',
    namespace: 'team',
    tlsServerName: 'kubernetes',
    insecureSkipTlsVerify: false,
  });
  expect(await access.credentials()).toEqual({
    caPem: 'CA',
    clientCertificate: { certPem: 'CERT', keyPem: 'KEY' },
  });
});

test('takes another context where it is named', async () => {
  const path = await kubeconfig('two', { name: 'a' }, { name: 'b', user: { token: 'for-b' } });
  const access = await kubeconfigAccess({ path, context: 'b' });
  expect(access.server).toBe('https://b:6443');
  expect(await access.credentials()).toEqual({ token: 'for-b' });
});

test('a context that is not there is named, with those that are', async () => {
  const path = await kubeconfig('two', { name: 'a' }, { name: 'b' });
  await expect(kubeconfigAccess({ path, context: 'c' })).rejects.toThrow(
    "kubeconfig: context 'c' is not there; it has: a, b",
  );
});

test('runs an exec plugin for the token', async () => {
  const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential' };
  const path = await kubeconfig('exec', {
    name: 'a',
    user: {
      exec: {
        apiVersion: credential.apiVersion,
        command: process.execPath,
        args: [
          '-e',
          `console.log(JSON.stringify(${JSON.stringify({ ...credential, status: { token: 'made' } })}))`,
        ],
      },
    },
  });
  const access = await kubeconfigAccess({ path });
  expect(await access.credentials()).toEqual({ token: 'made' });
});

test('impersonation is kept', async () => {
  const path = await kubeconfig('as', { name: 'a', user: { token: 't', as: 'jane' } });
  expect(await (await kubeconfigAccess({ path })).credentials()).toEqual({
    token: 't',
    impersonateUser: 'jane',
  });
});

test('a token is never sent over plain HTTP', async () => {
  const path = await kubeconfig('http', {
    name: 'a',
    cluster: { server: 'http://127.0.0.1:8001' },
    user: { token: 't' },
  });
  const access = await kubeconfigAccess({ path });
  expect(access.server).toBe('http://127.0.0.1:8001');
  expect(await access.credentials()).toEqual({});
});

test('KUBECONFIG may name several files; one that is not there is passed over', async () => {
  const files = [
    join(directory, 'missing'),
    await kubeconfig('one', { name: 'a' }),
    await kubeconfig('other', { name: 'b' }),
  ];
  const env = { KUBECONFIG: files.join(delimiter) };
  expect((await kubeconfigAccess({ env })).server).toBe('https://a:6443');
  expect((await kubeconfigAccess({ env, context: 'b' })).server).toBe('https://b:6443');
});

test.each([
  ['missing', /missing cannot be used/],
  ['broken', /broken cannot be used/],
])('a file that cannot be used is named: %s', async (file, message) => {
  await writeFile(join(directory, 'broken'), '{ not: [yaml');
  await expect(kubeconfigAccess({ path: join(directory, file) })).rejects.toThrow(message);
});

test('a proxy is refused rather than passed by', async () => {
  const path = await kubeconfig('proxy', { name: 'a', cluster: { 'proxy-url': 'http://proxy:3128' } });
  await expect(kubeconfigAccess({ path })).rejects.toThrow(/proxy-url is not supported/);
});
