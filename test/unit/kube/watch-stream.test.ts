import { expect, test } from 'vitest';
import { watchLines } from '../../../src/kube/watch-stream.ts';
import { all } from './local-server.ts';

async function* chunks(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    await Promise.resolve();
    yield Buffer.from(part);
  }
}

const line = (name: string): string =>
  `${JSON.stringify({ type: 'ADDED', object: { metadata: { name } } })}\n`;

async function names(source: AsyncIterable<Uint8Array>): Promise<(string | undefined)[]> {
  return (await all(watchLines(source))).map(({ object }) =>
    'metadata' in object ? object.metadata.name : '',
  );
}

test('several events in one chunk', async () => {
  expect(await names(chunks(line('a') + line('b') + line('c')))).toEqual(['a', 'b', 'c']);
});

test('every way to cut the stream gives the same events, within characters too', async () => {
  const bytes = Buffer.from(line('ä') + line('日本') + line('b'));
  for (let cut = 1; cut < bytes.length; cut++) {
    expect(await names(chunks(bytes.subarray(0, cut), bytes.subarray(cut)))).toEqual(['ä', '日本', 'b']);
  }
});

test('one byte at a time', async () => {
  const bytes = Buffer.from(line('日本') + line('b'));
  expect(await names(chunks(...Array.from(bytes, (byte) => Uint8Array.of(byte))))).toEqual(['日本', 'b']);
});

test('a stream that stops inside an event is an error, after the whole ones', async () => {
  const seen: unknown[] = [];
  await expect(async () => {
    for await (const event of watchLines(chunks(line('a'), '{"type":"ADD'))) seen.push(event.type);
  }).rejects.toThrow('the watch stopped inside an event');
  expect(seen).toEqual(['ADDED']);
});

test.each(['{"type":', 'null', '{"type":"ADDED"}', '{"object":{}}', '7'])('no event: %s', async (text) => {
  await expect(names(chunks(`${text}\n`))).rejects.toThrow(/is not (JSON|an event)/);
});

test('an error does not quote the line', async () => {
  const error = await names(chunks('{"data":"SECRET"\n')).catch((caught: unknown) => caught as Error);
  expect(JSON.stringify([String(error), (error as Error).stack])).not.toContain('SECRET');
});

test('a line without an end does not fill the memory', async () => {
  async function* endless(): AsyncGenerator<Uint8Array> {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let i = 0; i < 64; i++) {
      await Promise.resolve();
      yield chunk;
    }
  }
  await expect(names(endless())).rejects.toThrow('a line over 16777216 characters');
});
