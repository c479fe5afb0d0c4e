import { expect, test } from 'vitest';
import { createLogger } from '../../../src/platform/logger.ts';
import type { LogLevel } from '../../../src/platform/logger.ts';

function logTo(level: LogLevel, lines: string[]): ReturnType<typeof createLogger> {
  return createLogger({ name: 'daskwarden', level, destination: { write: (line) => void lines.push(line) } });
}

test('a line is JSON with the time in ISO form, the level as a word, and the name', () => {
  const lines: string[] = [];
  logTo('info', lines).child({ cluster: 'a/b' }).warn({ workers: 3 }, 'too few');
  const line = JSON.parse(lines[0]!) as Record<string, unknown>;
  expect(line).toMatchObject({
    level: 'warn',
    name: 'daskwarden',
    cluster: 'a/b',
    workers: 3,
    msg: 'too few',
  });
  expect(line['time']).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  expect(line).not.toHaveProperty('pid');
});

test('lines below the level are left out', () => {
  const lines: string[] = [];
  const log = logTo('warn', lines);
  log.info({}, 'no');
  log.error({}, 'yes');
  expect(lines).toHaveLength(1);
});

test.each([
  [{ token: 'SECRET' }],
  [{ headers: { authorization: 'Bearer SECRET' } }],
  [{ request: { headers: { Authorization: 'Bearer SECRET' } } }],
  [{ secret: { data: { 'dask.pem': 'SECRET' } } }],
  [{ action: { object: { kind: 'Secret', stringData: { key: 'SECRET' } } } }],
  [{ credentials: { clientCertificate: { keyPem: 'SECRET' } } }],
])('a credential never reaches the log: %j', (fields) => {
  const lines: string[] = [];
  const log = logTo('debug', lines);
  log.info(fields, 'look');
  log.child(fields).info({}, 'look');
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    expect(line).toContain('[redacted]');
    expect(line).not.toContain('SECRET');
  }
});

test('an error keeps its type, message and cause', () => {
  const lines: string[] = [];
  logTo('info', lines).error({ err: new TypeError('outer', { cause: new Error('inner') }) }, 'failed');
  const { err } = JSON.parse(lines[0]!) as { err: { type: string; message: string; stack: string } };
  expect(err.type).toBe('TypeError');
  expect(err.message).toContain('outer');
  expect(err.stack).toContain('inner');
});
