import { randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { WebhookAuthority } from '../../../src/controller/webhook-authority.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { LeafKeeper } from '../../../webhooks/certificate.ts';
import { allow } from '../../../webhooks/decision.ts';
import { AuthorityApi, MUTATING, VALIDATING } from '../../support/authority-api.ts';
import { recordedLog } from '../kube/recorded-log.ts';
import { DNS_NAME, runningServer } from './running-server.ts';

const { signal } = new AbortController();
const MINUTE_MS = 60_000;
const SETTLE_MS = 30_000;
const POLL_MS = 10_000;

/**
 * Time runs from four minutes ago to five minutes ahead: certificates begin five minutes before they are made and last
 * longer than four, so all of them are valid to the TLS of this process, whose clock nobody moves.
 */
const START_MS = Date.now() - 4 * MINUTE_MS;
const END_MS = START_MS + 8.6 * MINUTE_MS;

async function handshake(port: number, ca: string): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, servername: DNS_NAME, ca });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

it('clients connect throughout a rotation, and one that is connected stays so', async () => {
  const { server, port } = await runningServer({ '/judge': () => allow() });
  const time = { nowMs: START_MS };
  const clock = { ...systemClock, now: () => time.nowMs, monotonic: () => time.nowMs };
  const api = new AuthorityApi();
  api.install(MUTATING, undefined);
  api.install(VALIDATING, undefined);
  const { log } = recordedLog();
  const common = { client: api, clock, randomBytes, log };
  const leafValidityMs = 4.5 * MINUTE_MS;
  const keeping = { ...common, leafValidityMs, settleMs: SETTLE_MS, namespace: 'dask' };
  // The first authority alone lives short: it is to be rotated once.
  const first = new WebhookAuthority({ ...keeping, validityMs: 7 * MINUTE_MS });
  const authority = new WebhookAuthority(keeping);
  const keeper = new LeafKeeper({
    ...common,
    secret: { namespace: 'dask', name: 'daskwarden-webhook-ca' },
    dnsNames: [DNS_NAME],
    useLeaf: (leaf) => {
      server.useLeaf(leaf);
    },
    validityMs: leafValidityMs,
  });
  while ((await first.turn(signal)) === 0);
  await keeper.turn(signal);
  const kept = await handshake(port, api.bundles(MUTATING)[0] ?? '');

  const served = new Set<string>();
  const trusted = new Set<string>();
  let before = api.bundles(MUTATING)[0] ?? '';
  for (; time.nowMs < END_MS; time.nowMs += POLL_MS) {
    while ((await authority.turn(signal)) === 0);
    await keeper.turn(signal);
    const bundle = api.bundles(MUTATING)[0] ?? '';
    // An API server that has not heard of the last change yet calls too.
    for (const known of [before, bundle]) {
      const socket = await handshake(port, known);
      served.add(new X509Certificate(socket.getPeerCertificate().raw).serialNumber);
      socket.destroy();
    }
    trusted.add(bundle);
    before = bundle;
  }
  expect(served.size).toBeGreaterThan(3);
  const [next = '', old = ''] =
    [...trusted][1]?.match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----\n/g) ?? [];
  expect([...trusted]).toEqual([old, next + old, next]);
  expect(kept.destroyed).toBe(false);
  kept.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const [answer] = (await once(kept, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 404/);
});
