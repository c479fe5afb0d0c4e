import { describe, expect, it, onTestFinished } from 'vitest';
import { ProbeServer, type ProbeOptions } from '../../../src/platform/probes.ts';

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

type Ask = (path: string, method?: string) => Promise<Answer>;

async function serving(options: Omit<ProbeOptions, 'host' | 'port'>): Promise<Ask> {
  const server = new ProbeServer({ host: '127.0.0.1', port: 0, ...options });
  const port = await server.listen();
  onTestFinished(() => server.close());
  return async (path, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    };
  };
}

const FINE = { name: 'leaf', problem: () => undefined };
const METRICS = { contentType: 'text/plain; version=0.0.4', text: () => Promise.resolve('a 1\n') };
const TEXT = 'text/plain; charset=utf-8';

describe('/readyz', () => {
  it('lists every check', async () => {
    const ask = await serving({ checks: [FINE, { name: 'bundle', problem: () => undefined }] });
    const text = '[+]leaf ok\n[+]bundle ok\nreadyz check passed\n';
    expect(await ask('/readyz')).toEqual({ status: 200, type: TEXT, text });
  });

  it('fails with one check, and says with which and why', async () => {
    let problem: string | undefined = '120 of 200 verdicts';
    const ask = await serving({ checks: [FINE, { name: 'podcheck', problem: () => problem }] });
    const text = '[+]leaf ok\n[-]podcheck failed: 120 of 200 verdicts\nreadyz check failed\n';
    expect(await ask('/readyz?verbose')).toEqual({ status: 503, type: TEXT, text });
    problem = undefined;
    expect((await ask('/readyz')).status).toBe(200);
  });

  it('answers HEAD without a body', async () => {
    const ask = await serving({ checks: [{ name: 'leaf', problem: () => 'missing' }] });
    expect(await ask('/readyz', 'HEAD')).toEqual({ status: 503, type: TEXT, text: '' });
  });
});

describe('the other paths', () => {
  it('/livez answers, whatever is not ready', async () => {
    const ask = await serving({ checks: [{ name: 'leaf', problem: () => 'missing' }] });
    expect(await ask('/livez')).toEqual({ status: 200, type: TEXT, text: 'ok\n' });
  });

  it('/metrics gives the metrics in their own type', async () => {
    const ask = await serving({ checks: [], metrics: METRICS });
    expect(await ask('/metrics')).toEqual({ status: 200, type: METRICS.contentType, text: 'a 1\n' });
  });

  it('/metrics says where they cannot be read', async () => {
    const text = (): Promise<string> => Promise.reject(new Error('no'));
    const ask = await serving({ checks: [], metrics: { ...METRICS, text } });
    expect(await ask('/metrics')).toMatchObject({
      status: 500,
      text: 'the metrics could not be read: Error: no\n',
    });
  });

  it('are named where there is nothing', async () => {
    const ask = await serving({ checks: [], metrics: METRICS });
    expect(await ask('/')).toMatchObject({ status: 404, text: 'there are /livez, /readyz, /metrics\n' });
    expect(await (await serving({ checks: [] }))('/metrics')).toMatchObject({
      status: 404,
      text: 'there are /livez, /readyz\n',
    });
  });

  it('refuse another method', async () => {
    const ask = await serving({ checks: [] });
    expect(await ask('/livez', 'POST')).toMatchObject({ status: 405, text: 'there are GET and HEAD\n' });
  });
});
