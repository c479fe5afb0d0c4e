import { once } from 'node:events';
import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { FlagError } from '../../../src/platform/flags.ts';
import { runWebhook } from '../../../webhooks/main.ts';
import { poll } from '../../support/poll.ts';
import { aReviewBody } from './reviews.ts';
import { AUTHORITY } from './running-server.ts';
import { lonelyWebhookProcess, webhookProcess } from './webhook-process.ts';

/** The answer of `/readyz`; undefined when nobody answers any more. */
async function readiness(port: number): Promise<{ code: number; text: string } | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  return response && { code: response.status, text: (await response.text()).trim() };
}

function ready(port: number): Promise<unknown> {
  return poll(
    'the webhook to be ready',
    () => readiness(port),
    (answer) => answer?.code === 200,
    // Podcheck gives 200 verdicts before.
    { timeoutMs: 20_000 },
  );
}

async function review(port: number): Promise<IncomingMessage> {
  const call = request({
    host: '127.0.0.1',
    port,
    path: '/validate/daskclusters?timeout=5s',
    method: 'POST',
    ca: AUTHORITY.certificatePem,
    servername: 'daskwarden-webhook.dask.svc',
    headers: { 'content-type': 'application/json' },
    agent: false,
  });
  call.end(JSON.stringify(aReviewBody()));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response;
}

describe('daskwarden webhook', { timeout: 30_000 }, () => {
  it('becomes ready, answers by the name of its Service, and ends on SIGTERM', async () => {
    const { port, probePort, child, ended } = await webhookProcess('--drain-seconds=0');
    await ready(probePort);
    expect((await review(port)).statusCode).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('goes on serving while it drains, but is not ready', async () => {
    const { port, probePort, child, ended, lines } = await webhookProcess('--drain-seconds=1');
    await ready(probePort);
    child.kill('SIGTERM');
    const answer = await poll(
      'the webhook to drain',
      () => readiness(probePort),
      (state) => state?.code === 503,
    );
    expect(answer?.text).toContain('[-]serving failed: draining');
    const { statusCode, headers } = await review(port);
    expect({ statusCode, connection: headers.connection }).toEqual({ statusCode: 200, connection: 'close' });
    expect(await ended).toBe(0);
    expect(lines().map(({ msg }) => msg)).toEqual(expect.arrayContaining(['ready', 'draining', 'ended']));
  });

  it('is alive, but not ready, where the authority is missing', async () => {
    const { probePort } = await webhookProcess('--namespace=elsewhere', '--drain-seconds=0');
    expect((await fetch(`http://127.0.0.1:${probePort}/livez`)).status).toBe(200);
    const answer = await poll(
      'the reason',
      () => readiness(probePort),
      (state) => state?.text.includes('certificate') === true,
    );
    expect(answer?.code).toBe(503);
    expect(answer?.text).toContain('[-]certificate failed: there is none yet');
  });

  it('ends, while it drains, on a second signal at once', async () => {
    const { probePort, child, ended } = await webhookProcess('--drain-seconds=60');
    await ready(probePort);
    child.kill('SIGTERM');
    await poll(
      'the webhook to drain',
      () => readiness(probePort),
      (state) => state?.code === 503,
    );
    child.kill('SIGINT');
    expect(await ended).toBe(130);
  });

  it('ends also while the API server does not answer', async () => {
    const { child, ended } = await lonelyWebhookProcess('--drain-seconds=0');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it.each(['port', 'probe-port'])('ends with the reason where --%s is taken', async (flag) => {
    const { port } = await webhookProcess();
    const { ended, complaint } = await webhookProcess(`--${flag}=${port}`);
    expect(await ended).toBe(1);
    expect(complaint()).toContain(`address already in use 127.0.0.1:${port}`);
  });

  it.each([
    [['--prot=1'], /Unknown option '--prot'; there are --help, .*--port/],
    [['--log-level=loud'], /--log-level: must be one of debug, info, warn, error, not 'loud'/],
  ])('refuses %j', async (args, message) => {
    await expect(runWebhook(args)).rejects.toThrow(message);
    await expect(runWebhook(args)).rejects.toBeInstanceOf(FlagError);
  });
});
