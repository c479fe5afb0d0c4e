import { describe, expect, it } from 'vitest';
import { ServerFields } from '../../../webhooks/server-fields.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';
import { recordedLog } from '../kube/recorded-log.ts';

const DOCUMENT = JSON.stringify({
  components: { schemas: { 'io.k8s.api.core.v1.Pod': { properties: { spec: {} } } } },
});
const MINUTE_MS = 60_000;

/** Answers one after the other; an error is thrown. */
function serverFields(answers: readonly (string | Error)[]) {
  const clock = new SteppedClock(0);
  const { log, lines } = recordedLog();
  const paths: string[] = [];
  let next = 0;
  const request = (_method: string, path: string): Promise<string> => {
    paths.push(path);
    const answer = answers[next++] ?? new Error('no more answers');
    return typeof answer === 'string' ? Promise.resolve(answer) : Promise.reject(answer);
  };
  return { fields: new ServerFields({ client: { request }, clock, log }), clock, lines, paths };
}

describe('ServerFields', () => {
  it('asks the API server once, and again an hour later', async () => {
    const { fields, clock, paths } = serverFields([DOCUMENT, DOCUMENT]);
    const controller = new AbortController();
    expect(fields.current).toBeUndefined();
    const running = fields.run(controller.signal);
    expect(await clock.asleep()).toBe(60 * MINUTE_MS);
    expect(fields.current?.has(['spec'])).toBe(true);
    await clock.step(60 * MINUTE_MS);
    expect(paths).toEqual(['/openapi/v3/api/v1', '/openapi/v3/api/v1']);
    controller.abort();
    await running;
  });

  it.each([
    ['a refusal', new Error('403')],
    ['what is no JSON', '<html>'],
    ['another document', '{}'],
    ['one that is too big', ' '.repeat(16 * 1024 * 1024 + 1)],
  ])('asks again soon after %s, and ever more rarely', async (_, bad) => {
    const { fields, clock, lines } = serverFields([bad, bad, DOCUMENT]);
    const controller = new AbortController();
    const running = fields.run(controller.signal);
    expect(await clock.asleep()).toBe(5_000);
    expect(await clock.step(5_000)).toBe(10_000);
    expect(fields.current).toBeUndefined();
    expect(lines.map(({ level }) => level)).toHaveLength(2);
    expect(await clock.step(10_000)).toBe(60 * MINUTE_MS);
    expect(fields.current?.has(['spec'])).toBe(true);
    controller.abort();
    await running;
  });

  it('keeps what it knows while it cannot ask', async () => {
    const { fields, clock } = serverFields([DOCUMENT, new Error('down')]);
    const controller = new AbortController();
    const running = fields.run(controller.signal);
    expect(await clock.step(60 * MINUTE_MS)).toBe(5_000);
    expect(fields.current?.has(['spec'])).toBe(true);
    controller.abort();
    await running;
  });
});
