import { randomBytes, X509Certificate } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebhookAuthority } from '../../../src/controller/webhook-authority.ts';
import { createAuthority } from '../../../src/pki/authority.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { AuthorityApi, MUTATING, SECRET, VALIDATING } from '../../support/authority-api.ts';
import { poll } from '../../support/poll.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';
import { recordedLog } from '../kube/recorded-log.ts';

const DAY_MS = 86_400_000;
const { signal } = new AbortController();

function atWork(api: AuthorityApi = installed()) {
  const { log, lines } = recordedLog();
  const time = { nowMs: Date.now() };
  const clock = { ...systemClock, now: () => time.nowMs, monotonic: () => time.nowMs };
  const authority = new WebhookAuthority({ client: api, namespace: 'dask', clock, randomBytes, log });
  return { api, authority, time, lines };
}

function installed(): AuthorityApi {
  const api = new AuthorityApi();
  api.install(MUTATING, undefined, undefined);
  api.install(VALIDATING, undefined, '');
  return api;
}

/** Takes turns until there is nothing to do. @returns for how long, milliseconds */
async function settle(authority: WebhookAuthority): Promise<number> {
  for (let turn = 0; turn < 20; turn++) {
    const delayMs = await authority.turn(signal);
    if (delayMs > 0) return delayMs;
  }
  throw new Error('there is always something to do');
}

async function agedSecret(api: AuthorityApi): Promise<string> {
  const aged = await createAuthority({ nowMs: Date.now() - 250 * DAY_MS, randomBytes });
  api.secret = { 'tls.crt': aged.certificatePem, 'tls.key': aged.privateKeyPem };
  return aged.certificatePem;
}

describe('the authority of the webhooks', () => {
  it('is made, and set as the caBundle of every webhook', async () => {
    const { api, authority } = atWork();
    expect(await settle(authority)).toBe(600_000);
    const certificate = api.secret['tls.crt'] ?? '';
    expect(new X509Certificate(certificate).ca).toBe(true);
    expect([...api.bundles(MUTATING), ...api.bundles(VALIDATING)]).toEqual(Array(4).fill(certificate));
    expect(api.writes[0]).toBe(`create ${SECRET}`);
  });

  it('costs no write where all is as it should be', async () => {
    const { api, authority } = atWork();
    await settle(authority);
    const { length } = api.writes;
    expect(await authority.turn(signal)).toBe(600_000);
    expect(api.writes).toHaveLength(length);
  });

  it('is written only where the bundle differs', async () => {
    const { api, authority } = atWork();
    await settle(authority);
    const bundle = Buffer.from(api.secret['tls.crt'] ?? '').toString('base64');
    api.install(VALIDATING, bundle, 'b2xk', bundle);
    api.writes.length = 0;
    await settle(authority);
    expect(api.writes).toEqual([`patch ${VALIDATING} /webhooks/1/clientConfig/caBundle`]);
  });

  it('is the one of another controller that was faster', async () => {
    const [{ api: faster, authority: other }, { api, authority }] = [atWork(), atWork()];
    await settle(other);
    api.beforeWrite = () => {
      api.beforeWrite = () => undefined;
      api.put(SECRET, faster.objects.get(SECRET)!);
    };
    expect(await settle(authority)).toBe(1_000);
    await settle(authority);
    expect(api.bundles(MUTATING)[0]).toBe(faster.secret['tls.crt']);
  });

  it('serves one registration while the other is missing', async () => {
    const { api, authority } = atWork(new AuthorityApi());
    api.install(VALIDATING, undefined);
    await settle(authority);
    expect(api.bundles(VALIDATING)).toEqual([api.secret['tls.crt']]);
  });

  it('is looked at again at once when something changed', async () => {
    const api = installed();
    const clock = new SteppedClock(Date.now());
    const { log } = recordedLog();
    const authority = new WebhookAuthority({ client: api, namespace: 'dask', clock, randomBytes, log });
    const ending = new AbortController();
    const run = authority.run(ending.signal);
    onTestFinished(async () => {
      ending.abort();
      await run;
    });
    await clock.asleep();
    api.install(VALIDATING, undefined);
    authority.look();
    const bundle = (): Promise<string | undefined> => Promise.resolve(api.bundles(VALIDATING)[0]);
    await poll('the bundle to be back', bundle, (pem) => pem === api.secret['tls.crt']);
  });
});

describe('a rotation', () => {
  it('goes from one authority to the next by a time when both are trusted', async () => {
    const { api, authority, time, lines } = atWork();
    const old = await agedSecret(api);
    expect(await settle(authority)).toBe(30_000);
    const next = api.secret['next.crt'] ?? '';
    expect(api.bundles(MUTATING)).toEqual([next + old, next + old]);
    expect(api.secret['tls.crt']).toBe(old);

    time.nowMs += 30_000;
    await settle(authority);
    const switched = api.secret;
    expect(switched).toMatchObject({ 'tls.crt': next, 'previous.crt': old });
    expect(switched['switched-at']).toBe(new Date(time.nowMs).toISOString());
    expect(switched['next.key']).toBeUndefined();
    expect(api.bundles(VALIDATING)).toEqual([next + old, next + old]);

    time.nowMs += 7 * DAY_MS;
    await settle(authority);
    expect(Object.keys(api.secret)).toEqual(['tls.crt', 'tls.key']);
    expect(api.bundles(VALIDATING)).toEqual([next, next]);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'made a certificate authority for the webhooks',
      'set the caBundle',
      'set the caBundle',
      'the next certificate authority is trusted and signs from now on',
      'no leaf of an earlier certificate authority is left',
      'set the caBundle',
      'set the caBundle',
    ]);
  });

  it('waits anew when somebody writes other bundles meanwhile', async () => {
    const { api, authority, time } = atWork();
    await agedSecret(api);
    await settle(authority);
    time.nowMs += 29_000;
    api.install(VALIDATING, undefined);
    expect(await settle(authority)).toBe(30_000);
  });
});

describe('what goes wrong', () => {
  it('is told once, without a key, and tried again', async () => {
    const { api, authority, lines } = atWork();
    await settle(authority);
    lines.length = 0;
    api.install(VALIDATING, undefined);
    api.beforeWrite = () => {
      throw new Error('connect ECONNREFUSED');
    };
    expect(await authority.turn(signal)).toBe(1_000);
    expect(await authority.turn(signal)).toBe(1_000);
    expect(lines).toMatchObject([
      { level: 'warn', msg: "the webhooks' certificate authority could not be kept" },
    ]);
    api.beforeWrite = () => undefined;
    await settle(authority);
    expect(api.bundles(VALIDATING)).toEqual([api.secret['tls.crt']]);
  });

  it('says why an authority is made anew, and nothing of its key', async () => {
    const { api, authority, lines } = atWork();
    await settle(authority);
    const { 'tls.crt': certificate = '', 'tls.key': key = '' } = api.secret;
    api.secret = { 'tls.crt': certificate, 'tls.key': 'garbage' };
    lines.length = 0;
    expect(await settle(authority)).toBe(30_000);
    expect(lines[0]).toMatchObject({
      msg: 'made a certificate authority for the webhooks',
      secret: 'daskwarden-webhook-ca',
      place: 'next',
      why: 'certificate authority: its certificate or private key is not PEM',
    });
    expect(JSON.stringify(lines)).not.toContain(key.split('\n')[1]);
    expect(api.bundles(MUTATING)[0]).toBe((api.secret['next.crt'] ?? '') + certificate);
  });
});
