import { randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAuthority } from '../../../src/pki/authority.ts';
import { allow } from '../../../webhooks/decision.ts';
import { dialOurselves } from '../../../webhooks/self-dial.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';
import { AUTHORITY, DNS_NAME, runningServer } from './running-server.ts';

/** Dials until the test is over; `found` are the problems that were told, one for each attempt. */
function dialling(port: number, authority: string | undefined, dnsName = DNS_NAME) {
  const clock = new SteppedClock(0);
  const leaf = { authority };
  const found: (string | undefined)[] = [];
  const ending = new AbortController();
  const address = { host: '127.0.0.1', port };
  const run = dialOurselves({ address, leaf, dnsName, clock }, ending.signal, (problem) => {
    found.push(problem);
  });
  onTestFinished(async () => {
    ending.abort();
    await run;
  });
  return { clock, leaf, found, ending, run };
}

describe('dialOurselves', () => {
  it('finds nothing missing where a call would get through, and looks again in 10 s', async () => {
    const { port } = await runningServer({ '/judge': () => allow() });
    const { clock, found } = dialling(port, AUTHORITY.certificatePem);
    expect(await clock.asleep()).toBe(10_000);
    expect(found).toEqual([undefined]);
  });

  it('waits for the leaf', async () => {
    const { port } = await runningServer({ '/judge': () => allow() });
    const { clock, leaf, found } = dialling(port, undefined);
    expect(await clock.asleep()).toBe(100);
    leaf.authority = AUTHORITY.certificatePem;
    expect(await clock.step(100)).toBe(10_000);
    expect(found).toEqual(['there is no serving certificate yet', undefined]);
  });

  it.each([
    ['another name', 'other.dask.svc', () => Promise.resolve(AUTHORITY.certificatePem), /other\.dask\.svc/],
    [
      'another authority',
      DNS_NAME,
      async () => (await createAuthority({ nowMs: Date.now(), randomBytes })).certificatePem,
      /certificate/,
    ],
  ])('sees a leaf of %s', async (_, dnsName, authority, problem) => {
    const { port } = await runningServer({ '/judge': () => allow() });
    const { clock, found } = dialling(port, await authority(), dnsName);
    expect(await clock.asleep()).toBe(100);
    expect(found).toEqual([expect.stringMatching(problem)]);
  });

  it('sees a server that ended, and one that is back', async () => {
    const { server, port } = await runningServer({ '/judge': () => allow() });
    const { clock, found } = dialling(port, AUTHORITY.certificatePem);
    await clock.asleep();
    await server.close();
    expect(await clock.step(10_000)).toBe(100);
    expect(found).toEqual([undefined, expect.stringMatching(/the own port refuses: .*ECONNREFUSED/)]);
  });

  it('ends at once, also while it waits for a port that does not answer', async () => {
    const accepted = Promise.withResolvers<Socket>();
    const silent = createServer((socket) => {
      accepted.resolve(socket);
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { ending, run, found } = dialling((silent.address() as AddressInfo).port, AUTHORITY.certificatePem);
    const socket = await accepted.promise;
    ending.abort();
    await run;
    expect(found).toEqual(['the own port does not answer']);
    socket.destroy();
    silent.close();
  });
});
