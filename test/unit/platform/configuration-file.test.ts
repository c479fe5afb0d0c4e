import { rename, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FieldPath } from '../../../src/api/field-path.ts';
import { ConfigurationError } from '../../../src/platform/configuration-error.ts';
import { ConfigurationFile } from '../../../src/platform/configuration-file.ts';
import type { Rejected } from '../../../src/platform/read-configuration.ts';
import { SteppedClock } from '../../support/stepped-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { recordedLog } from '../kube/recorded-log.ts';

interface Colour {
  readonly colour: string;
}

/** A configuration with one key, `colour`. */
function parse(document: unknown): Colour | Rejected {
  const { colour } = (document ?? {}) as { readonly colour?: unknown };
  if (typeof colour === 'string') return { colour };
  return { problems: [{ path: FieldPath.of('colour'), message: 'must be text' }] };
}

const POLL_MS = 2_000;
const SETTLE_MS = 250;

async function folderWith(text: string): Promise<{ readonly folder: string; readonly path: string }> {
  const folder = await temporaryFolder();
  const path = join(folder, 'configuration.yaml');
  await writeFile(path, text);
  return { folder, path };
}

function load(path: string): Promise<ConfigurationFile<Colour>> {
  return ConfigurationFile.load({ path, parse, clock: new SteppedClock(0), log: recordedLog().log });
}

async function problemsOf(text: string): Promise<readonly string[]> {
  const { path } = await folderWith(text);
  const error: unknown = await load(path).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigurationError)) throw new Error(`no ConfigurationError: ${String(error)}`);
  return error.problems.map((problem) => problem.replace(path, 'FILE'));
}

async function running(text: string) {
  const { folder, path } = await folderWith(text);
  const { log, lines } = recordedLog();
  const clock = new SteppedClock(0);
  const file = await ConfigurationFile.load({ path, parse, clock, log });
  const results: string[] = [];
  const changes: string[] = [];
  file.onReload((result) => results.push(result));
  file.onChange(({ colour }) => changes.push(colour));
  const abort = new AbortController();
  const ended = file.run(abort.signal);
  onTestFinished(async () => {
    abort.abort();
    await ended;
  });
  expect(await clock.asleep()).toBe(POLL_MS);
  return { folder, path, file, clock, lines, results, changes };
}

describe('a configuration file that is loaded', () => {
  it('may be YAML or JSON', async () => {
    expect((await load((await folderWith('colour: red\n')).path)).current()).toEqual({ colour: 'red' });
    expect((await load((await folderWith('{"colour": "red"}')).path)).current()).toEqual({ colour: 'red' });
  });

  it.each([
    ['a wrong value', 'size: 1\ncolour: 1\n', 'FILE:2:1: colour: must be text'],
    ['a missing value', '# a comment\nsize: 1\n', 'FILE:2:1: colour: must be text'],
    ['no YAML', 'colour: [red\n', /^FILE:2:1: Flow sequence in block collection/],
    ['a tab', 'size:\n\tcolour: red\n', 'FILE:2:1: Tabs are not allowed as indentation'],
    ['a key twice', 'colour: red\nsize: {a: 1, a: 2}\n', 'FILE:2:14: the key "a" is there already'],
    ['a key that is no text', '? [a]\n: 1\n', 'FILE:1:3: a key must be text'],
    [
      'two documents',
      'colour: red\n---\ncolour: blue\n',
      "FILE: must be one document; '---' begins another one",
    ],
    ['nothing', '# colour: red\n', 'FILE: colour: must be text'],
    ['deep nesting', '['.repeat(20_000), /^FILE:\d+:\d+: it is nested too deeply$/],
    [
      'an alias bomb',
      [
        'a: &a [x, x]',
        ...'bcdefghijk'.split('').map((key, index) => {
          const before = 'abcdefghij'[index];
          return `${key}: &${key} [*${before}, *${before}]`;
        }),
      ].join('\n'),
      /^FILE:1:1: Excessive alias count/,
    ],
    ['too much', `colour: ${'x'.repeat(1024 * 1024)}`, 'FILE: has 1048584 bytes; at most 1048576 are read'],
  ])('is refused where it holds %s', async (_, text, problem) => {
    const problems = await problemsOf(text);
    expect(problems).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)]);
  });

  it('is refused where it is no text, no file, or not there', async () => {
    const { folder, path } = await folderWith('');
    await writeFile(path, Buffer.from([0xff, 0xfe, 0x00]));
    await expect(load(path)).rejects.toThrow(`${path}: must be text in UTF-8`);
    await expect(load(folder)).rejects.toThrow(`${folder}: must be a file`);
    await expect(load(join(folder, 'x'))).rejects.toThrow(
      `${folder}/x: cannot be read: there is no such file`,
    );
  });

  it('tells at most 100 problems', async () => {
    const { path } = await folderWith('{}');
    const problem = { path: FieldPath.root, message: 'bad' };
    const many = ConfigurationFile.load({
      path,
      parse: (): Rejected => ({ problems: Array.from({ length: 102 }, () => problem) }),
      clock: new SteppedClock(0),
      log: recordedLog().log,
    });
    const { problems } = await many.then(
      () => ({ problems: [] as readonly string[] }),
      (error: unknown) => error as ConfigurationError,
    );
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toBe(`${path}: 2 more problems are not listed`);
  });

  it('is not slow for many keys', async () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`);
    const { path } = await folderWith(['colour: red', ...keys].join('\n'));
    expect((await load(path)).current()).toEqual({ colour: 'red' });
  });
});

describe('a configuration file that changes', () => {
  it('is in force once its content stays the same', async () => {
    const { path, file, clock, results, changes } = await running('colour: red');
    await writeFile(path, 'colour: blue');
    expect(await clock.step(POLL_MS)).toBe(SETTLE_MS);
    expect(file.current()).toEqual({ colour: 'red' });
    expect(await clock.step(SETTLE_MS)).toBe(POLL_MS);
    expect(file.current()).toEqual({ colour: 'blue' });
    expect(results).toEqual(['applied']);
    expect(changes).toEqual(['blue']);
  });

  it('is not read half-written', async () => {
    const { path, file, clock, results } = await running('colour: red');
    await writeFile(path, 'colour: bl');
    await clock.step(POLL_MS);
    await writeFile(path, 'colour: blue');
    expect(await clock.step(SETTLE_MS)).toBe(SETTLE_MS);
    await clock.step(SETTLE_MS);
    expect(file.current()).toEqual({ colour: 'blue' });
    expect(results).toEqual(['applied']);
  });

  it('follows the symbolic link of a mounted ConfigMap', async () => {
    const { folder, path, file, clock } = await running('colour: red');
    await writeFile(join(folder, '2.yaml'), 'colour: blue');
    await symlink('2.yaml', join(folder, 'next'));
    await rename(join(folder, 'next'), path);
    await clock.step(POLL_MS);
    await clock.step(SETTLE_MS);
    expect(file.current()).toEqual({ colour: 'blue' });
  });

  it('changes nothing where it is bad, and is told once', async () => {
    const { path, file, clock, lines, results, changes } = await running('colour: red');
    await writeFile(path, 'colour: 1');
    await clock.step(POLL_MS);
    await clock.step(SETTLE_MS);
    await clock.step(POLL_MS);
    await clock.step(POLL_MS);
    expect(file.current()).toEqual({ colour: 'red' });
    expect(results).toEqual(['refused']);
    expect(changes).toEqual([]);
    expect(lines).toEqual([
      expect.objectContaining({ level: 'error', problems: [`${path}:1:1: colour: must be text`] }),
    ]);
    await writeFile(path, 'colour: blue');
    await clock.step(POLL_MS);
    await clock.step(SETTLE_MS);
    expect(results).toEqual(['refused', 'applied']);
    expect(file.current()).toEqual({ colour: 'blue' });
  });

  it.each([
    ['gone', unlink, /there is no such file/],
    ['emptied', truncate, /colour: must be text/],
  ])('changes nothing where it is %s', async (_, spoil, problem) => {
    const { path, file, clock, lines } = await running('colour: red');
    await spoil(path);
    await clock.step(POLL_MS);
    await clock.step(SETTLE_MS);
    expect(file.current()).toEqual({ colour: 'red' });
    expect(lines).toEqual([expect.objectContaining({ problems: [expect.stringMatching(problem)] })]);
  });
});
