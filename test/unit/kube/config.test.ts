import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inClusterAccess, remember } from '../../../src/kube/config.ts';
import { systemClock } from '../../../src/platform/clock.ts';

const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
let directory: string;
let elapsedMs: number;
const clock = { ...systemClock, monotonic: () => elapsedMs };

beforeEach(async () => {
  elapsedMs = 0;
  directory = await mkdtemp(join(tmpdir(), 'service-account-'));
  await write('token', 'first\n');
  await write('ca.crt', 'CA');
  await write('namespace', 'gateway');
});
afterEach(() => rm(directory, { recursive: true }));

const write = (file: string, text: string): Promise<void> => writeFile(join(directory, file), text);

describe('inClusterAccess', () => {
  test('reads the service account', async () => {
    const access = await inClusterAccess({ env, directory, clock });
    expect(access.server).toBe('https://10.0.0.1:443');
    expect(access.namespace).toBe('gateway');
    expect(await access.credentials()).toEqual({ token: 'first', caPem: 'CA' });
  });

  test('takes up a rotated token after a minute, not sooner', async () => {
    const access = await inClusterAccess({ env, directory, clock });
    await write('token', 'second');
    elapsedMs = 59_999;
    expect(await access.credentials()).toMatchObject({ token: 'first' });
    elapsedMs = 60_000;
    expect(await access.credentials()).toMatchObject({ token: 'second' });
  });

  test('brackets an IPv6 host', async () => {
    const access = await inClusterAccess({
      env: { ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' },
      directory,
      clock,
    });
    expect(access.server).toBe('https://[fd00::1]:443');
    expect(new URL(access.server).port).toBe('');
  });

  test('says outside of a pod what is missing and what is possible', async () => {
    await expect(inClusterAccess({ env: {}, directory, clock })).rejects.toThrow(
      /KUBERNETES_SERVICE_HOST .* are not set; name a kubeconfig/,
    );
  });

  test('names the file that cannot be read or is empty', async () => {
    await write('token', '\n');
    await expect(inClusterAccess({ env, directory, clock })).rejects.toThrow(/token is empty/);
    await rm(join(directory, 'ca.crt'));
    await write('token', 'x');
    await expect(inClusterAccess({ env, directory, clock })).rejects.toThrow(/ca\.crt cannot be read/);
  });
});

describe('remember', () => {
  test('calls that meet share one read', async () => {
    let reads = 0;
    const read = remember(() => Promise.resolve(++reads), 1_000, clock);
    expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  });

  test('a failure is not remembered', async () => {
    let reads = 0;
    const read = remember(
      () => (++reads === 1 ? Promise.reject(new Error('away')) : Promise.resolve(reads)),
      1_000,
      clock,
    );
    await expect(read()).rejects.toThrow('away');
    expect(await read()).toBe(2);
  });
});
