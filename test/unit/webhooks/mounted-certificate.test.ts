import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAuthority, issueLeaf } from '../../../src/pki/authority.ts';
import { type Clock, systemClock } from '../../../src/platform/clock.ts';
import type { Leaf } from '../../../webhooks/certificate.ts';
import { MountedCertificate } from '../../../webhooks/mounted-certificate.ts';
import { poll } from '../../support/poll.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { recordedLog } from '../kube/recorded-log.ts';
import { AUTHORITY, DNS_NAME } from './running-server.ts';

const DAY_MS = 86_400_000;

type Files = Readonly<Record<string, string>>;

async function filesOf(dnsName = DNS_NAME, validityMs = DAY_MS, authority = AUTHORITY): Promise<Files> {
  const request = { authority, dnsNames: [dnsName], nowMs: Date.now(), randomBytes, validityMs } as const;
  const { certificatePem, privateKeyPem } = await issueLeaf(request);
  return { 'tls.crt': certificatePem, 'tls.key': privateKeyPem, 'ca.crt': authority.certificatePem };
}

let generation = 0;

/** As the kubelet does it: another folder, and one link that is swapped. */
async function mount(directory: string, files: Files): Promise<void> {
  const folder = `..${generation++}`;
  await mkdir(join(directory, folder));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(directory, folder, name), text);
    await symlink(join('..data', name), join(directory, name)).catch(() => undefined);
  }
  await symlink(folder, join(directory, '..data_tmp'));
  await rename(join(directory, '..data_tmp'), join(directory, '..data'));
}

async function atWork(files?: Files) {
  const directory = await temporaryFolder();
  if (files !== undefined) await mount(directory, files);
  const { log, lines } = recordedLog();
  const time = { aheadMs: 0 };
  const clock: Clock = { ...systemClock, now: () => Date.now() + time.aheadMs };
  const used: Leaf[] = [];
  const useLeaf = (leaf: Leaf): void => void used.push(leaf);
  const source = new MountedCertificate({ directory, dnsName: DNS_NAME, useLeaf, clock, log });
  return { directory, source, used, lines, time };
}

describe('a mounted certificate', () => {
  it('is used, with the authority beside it', async () => {
    const files = await filesOf();
    const { source, used } = await atWork(files);
    expect(source).toMatchObject({ authority: undefined, notAfterMs: undefined });
    await source.turn();
    await source.turn();
    expect(used.map(({ certificatePem }) => certificatePem)).toEqual([files['tls.crt']]);
    expect(source.authority).toBe(AUTHORITY.certificatePem);
    const { validToDate } = new X509Certificate(files['tls.crt'] ?? '');
    expect(source.notAfterMs).toBe(validToDate.getTime());
  });

  it('is its own authority where none is given', async () => {
    const { 'ca.crt': _, ...files } = await filesOf();
    const { source } = await atWork(files);
    await source.turn();
    expect(source.authority).toBe(files['tls.crt']);
  });

  it('is read where it is no volume of the kubelet', async () => {
    const { directory, source, used } = await atWork();
    for (const [name, text] of Object.entries(await filesOf())) await writeFile(join(directory, name), text);
    await source.turn();
    expect(used).toHaveLength(1);
  });

  it('is replaced as soon as another one is mounted', async () => {
    const { directory, source, used } = await atWork(await filesOf());
    const ending = new AbortController();
    const run = source.run(ending.signal);
    onTestFinished(async () => {
      ending.abort();
      await run;
    });
    const look = (): Promise<number> => Promise.resolve(used.length);
    await poll('the first certificate', look, (length) => length === 1);
    for (const expected of [2, 3]) {
      await mount(directory, await filesOf());
      // A poll would take 10 s.
      await poll('the next certificate', look, (length) => length === expected, { timeoutMs: 5_000 });
    }
  });

  it('follows an authority that alone is another one', async () => {
    const files = await filesOf();
    const { directory, source } = await atWork(files);
    await source.turn();
    const other = await createAuthority({ nowMs: Date.now(), randomBytes });
    const both = AUTHORITY.certificatePem + other.certificatePem;
    await mount(directory, { ...files, 'ca.crt': both });
    await source.turn();
    expect(source.authority).toBe(both);
  });
});

describe('an update that cannot be served', () => {
  it.each<[string, () => Promise<Files>, string]>([
    ['is no certificate', async () => ({ ...(await filesOf()), 'tls.crt': 'x' }), 'tls.crt: must be PEM'],
    ['has no key', async () => ({ ...(await filesOf()), 'tls.key': '' }), 'tls.key: must be PEM'],
    [
      'has the key of another one',
      async () => ({ ...(await filesOf()), 'tls.key': (await filesOf())['tls.key'] ?? '' }),
      'tls.key: must be the private key of the certificate in tls.crt',
    ],
    [
      'is for another name',
      () => filesOf('other.dask.svc'),
      `tls.crt: must be for ${DNS_NAME}; it is for DNS:other.dask.svc`,
    ],
    ['has expired', () => filesOf(DNS_NAME, -60_000), 'tls.crt: it has expired at '],
    ['lacks a file', () => Promise.resolve({ 'tls.key': 'x' }), 'ENOENT'],
  ])('is told of once where it %s, and the one before is served on', async (_, update, message) => {
    const files = await filesOf();
    const { directory, source, used, lines } = await atWork(files);
    await source.turn();
    await mount(directory, await update());
    await source.turn();
    await source.turn();
    expect(used).toHaveLength(1);
    expect(source.authority).toBe(AUTHORITY.certificatePem);
    expect(lines.slice(1)).toMatchObject([
      {
        level: 'warn',
        msg: 'the mounted certificate cannot be used: the one before is served on',
        err: { message: expect.stringContaining(message) as string },
      },
    ]);
    await mount(directory, await filesOf());
    await source.turn();
    expect(used).toHaveLength(2);
  });

  it('leaves nothing to serve where there was nothing', async () => {
    const { source, lines } = await atWork();
    await source.turn();
    expect(source.authority).toBeUndefined();
    expect(lines).toMatchObject([{ msg: 'the mounted certificate cannot be used: there is none to serve' }]);
  });

  it('puts no key into the log', async () => {
    const files = await filesOf();
    const { source, lines } = await atWork({ ...files, 'tls.crt': files['tls.key'] ?? '' });
    await source.turn();
    expect(JSON.stringify(lines)).not.toContain((files['tls.key'] ?? '').split('\n')[1]);
  });
});

it('warns once that the certificate expires, and says when it has', async () => {
  const { source, lines, time } = await atWork(await filesOf());
  for (const hours of [19, 21, 22, 25, 26]) {
    time.aheadMs = hours * 3_600_000;
    await source.turn();
  }
  expect(lines.slice(1)).toMatchObject([
    { level: 'warn', msg: 'the serving certificate expires soon, and there is no other' },
    { level: 'error', msg: 'the serving certificate has expired, and there is no other' },
  ]);
});

it('ends at once, also where its folder is gone', async () => {
  const { directory, source } = await atWork();
  const ending = new AbortController();
  const run = source.run(ending.signal);
  await rm(directory, { recursive: true });
  ending.abort();
  await run;
});
