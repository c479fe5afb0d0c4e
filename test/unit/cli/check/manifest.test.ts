import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../../src/api/field-path.ts';
import { daskClustersIn } from '../../../../src/cli/check/dask-clusters.ts';
import type { Manifest } from '../../../../src/cli/check/manifest.ts';
import { parseManifests } from '../../../../src/cli/check/manifest.ts';
import { NotYaml } from '../../../../src/platform/yaml-documents.ts';

function manifests(text: string): readonly Manifest[] {
  return parseManifests(text).map((document) => {
    if (document instanceof NotYaml) throw document;
    return document;
  });
}

function only(text: string): Manifest {
  const [manifest, ...others] = manifests(text);
  expect(others).toEqual([]);
  return manifest!;
}

describe('values', () => {
  it.each([
    ['0644', 420],
    ['0o644', 420],
    ['-0o17', -15],
    ['0b11', 3],
    ['0x1F', 31],
    ['08', 8],
    ['1_000', 1000],
    ['1e3', 1000],
    ['.5', 0.5],
    ['yes', true],
    ['Off', false],
    ['y', true],
    ['~', null],
    ['2026-01-01', '2026-01-01'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['12:30', '12:30'],
    ['1:20:30.5', '1:20:30.5'],
    ["'0644'", '0644'],
    ["'yes'", 'yes'],
  ])('%s is what kubectl reads', (written, value) => {
    expect(only(`a: ${written}`).object).toEqual({ a: value });
  });

  it('reads keys as kubectl does', () => {
    expect(only('8080: a\non: b\n').object).toEqual({ 8080: 'a', true: 'b' });
  });

  it('merges what anchors hold', () => {
    const text = 'base: &base {a: 1, b: 2}\nuse:\n  <<: *base\n  b: 3\n';
    expect(only(text).object).toMatchObject({ use: { a: 1, b: 3 } });
  });
});

describe('documents', () => {
  it('passes over what says nothing', () => {
    const text = '---\n# Source: chart/templates/a.yaml\n---\na: 1\n---\n\n---\n# nothing\n...\n';
    expect(manifests(text).map(({ object }) => object)).toEqual([{ a: 1 }]);
    expect(parseManifests('')).toEqual([]);
    expect(parseManifests('# only a comment\n')).toEqual([]);
  });

  it('is not misled by CRLF or a byte order mark', () => {
    const [first, second] = manifests('\uFEFFa: 1\r\nb:\r\n  c: 2\r\n---\r\n# x\r\nd: 3\r\n');
    expect([first?.object, second?.object]).toEqual([{ a: 1, b: { c: 2 } }, { d: 3 }]);
    expect(first?.start).toEqual({ line: 1, column: 1 });
    expect(first?.positionOf(FieldPath.of('b', 'c'))).toEqual({ line: 3, column: 3 });
    expect(second?.positionOf(FieldPath.of('d'))).toEqual({ line: 6, column: 1 });
  });

  it('reads JSON that is indented with tabs', () => {
    expect(only('{\n\t"a": [\n\t\t1\n\t]\n}\n').object).toEqual({ a: [1] });
  });

  it('reads what follows a document that is not YAML', () => {
    const [first, broken, last] = parseManifests('a: 1\n---\nb: [1\n---\nc: 1\n');
    expect(first).toMatchObject({ object: { a: 1 } });
    expect(broken).toBeInstanceOf(NotYaml);
    expect((broken as NotYaml).position).toEqual({ line: 4, column: 1 });
    expect(last).toMatchObject({ object: { c: 1 } });
  });

  it.each([
    ['an alias that leads nowhere', 'a: *b\n'],
    [
      'aliases that lead to too much',
      `a: &a [${'x,'.repeat(9)}]\n${['b', 'c', 'd'].map((name, level) => `${name}: &${name} [${`*${'abc'[level]!},`.repeat(9)}]\n`).join('')}`,
    ],
    ['a key that is a list', '[a]: 1\n'],
    ['a key that is nothing', 'a: 1\n? : 2\n'],
    ['20,000 open brackets', '['.repeat(20_000)],
  ])('refuses %s and goes on', (_, text) => {
    const [broken, after] = parseManifests(`${text}\n---\nok: 1\n`);
    expect(broken).toBeInstanceOf(NotYaml);
    if (!text.startsWith('[')) expect(after).toMatchObject({ object: { ok: 1 } });
  });
});

describe('positions', () => {
  const text = 'a:\n  list:\n    - name: x\n      b: 1\n    - {name: y, c: {d: 2}}\n';

  it.each([
    [FieldPath.of('a', 'list').index(1).child('c', 'd'), 5, 21],
    [FieldPath.of('a', 'list').index(0).child('b'), 4, 7],
    // Not there: the item that should have it.
    [FieldPath.of('a', 'list').index(0).child('missing', 'deeper'), 3, 7],
    [FieldPath.of('a', 'list').index(7).child('b'), 2, 3],
    [FieldPath.of('nowhere'), 1, 1],
  ])('%s', (path, line, column) => {
    expect(only(text).positionOf(path)).toEqual({ line, column });
  });
});

describe('keys that are there twice', () => {
  it('are findings at the second one', () => {
    const manifest = only('kind: A\nspec:\n  list:\n    - image: a\n      image: b\n  spec: {x: 1, x: 2}\n');
    const duplicates = manifest.duplicates();
    expect(duplicates.map(({ path }) => path.toString())).toEqual(['spec.list[0].image', 'spec.spec.x']);
    expect(duplicates[0]).toMatchObject({
      level: 'error',
      reason: 'FieldValueDuplicate',
      message: 'Duplicate value: "image": the key is there already, on line 4; remove one of the two',
    });
    expect(duplicates.map(({ path }) => manifest.positionOf(path))).toEqual([
      { line: 5, column: 7 },
      { line: 6, column: 16 },
    ]);
  });

  it('are told of the item of a list that has them', () => {
    const item = (name: string, more: string): string =>
      `- apiVersion: gateway.dask.org/v1alpha1\n  kind: DaskCluster\n  metadata: {name: ${name}${more}}\n`;
    const list = only(`apiVersion: v1\nkind: List\nitems:\n${item('a', '')}${item('b', ', name: c')}`);
    const found = daskClustersIn(list).map((cluster) =>
      cluster.duplicates().map(({ path }) => `${path.toString()} ${String(cluster.positionOf(path).line)}`),
    );
    expect(found).toEqual([[], ['metadata.name 9']]);
  });
});

describe('DaskClusters', () => {
  it('are found in lists, and nothing else is', () => {
    const cluster = (name: string, apiVersion = 'gateway.dask.org/v1alpha1'): object => ({
      ...{ apiVersion, kind: 'DaskCluster', metadata: { name } },
    });
    const text = [
      cluster('a'),
      cluster('kubernetes', 'kubernetes.dask.org/v1'),
      {
        kind: 'List',
        items: [cluster('b'), { kind: 'Pod' }, null, { kind: 'DaskClusterList', items: [cluster('c')] }],
      },
      { kind: 'List' },
      'text',
      ['DaskCluster'],
    ]
      .map((object) => JSON.stringify(object, undefined, 1))
      .join('\n---\n');
    const found = manifests(text).flatMap((manifest) => daskClustersIn(manifest));
    expect(found.map(({ object }) => object)).toMatchObject(
      ['a', 'b', 'c'].map((name) => ({ metadata: { name } })),
    );
    expect(found[1]?.start.line).toBe(20);
    expect(found[1]?.positionOf(FieldPath.of('metadata', 'name')).line).toBe(24);
  });
});
