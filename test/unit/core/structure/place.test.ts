import { describe, expect, it } from 'vitest';
import { fieldPathOf, segmentsOf, valueAt } from '../../../../src/core/structure/place.ts';

describe('segmentsOf', () => {
  it.each([
    ['', []],
    ['/spec/containers/0', ['spec', 'containers', '0']],
    ['/labels/example.org~1a~01', ['labels', 'example.org/a~1']],
  ])('%j', (pointer, segments) => {
    expect(segmentsOf(pointer)).toEqual(segments);
  });
});

describe('valueAt', () => {
  const root = { list: [{ a: null }] };

  it.each([
    [[], root],
    [['list', '0', 'a'], null],
    [['list', '1', 'a'], undefined],
    [['list', '0', 'a', 'b'], undefined],
    [['toString'], undefined],
  ])('%j', (segments, value) => {
    expect(valueAt(root, segments)).toBe(value);
  });
});

describe('fieldPathOf', () => {
  const root = {
    containers: [{ name: 'a', resources: { limits: { cpu: 1 } } }, { image: 'x' }],
    labels: { 'example.org/a': 1 },
  };

  it.each([
    [[], '', ''],
    [
      ['containers', '0', 'resources', 'limits', 'cpu'],
      'containers[0].resources.limits[cpu]',
      'containers[name="a"].resources.limits[cpu]',
    ],
    [['containers', '1', 'image'], 'containers[1].image', 'containers[1].image'],
    [['labels', 'example.org/a'], 'labels[example.org/a]', 'labels[example.org/a]'],
    [['labels'], 'labels', 'labels'],
    [['containers', 'image'], 'containers.image', 'containers.image'],
  ])('%j', (segments, path, identity) => {
    expect(fieldPathOf(root, segments).toString()).toBe(path);
    expect(fieldPathOf(root, segments).identity()).toBe(identity);
  });

  it('cuts long keys, not in the middle of a character', () => {
    const text = fieldPathOf({}, [`${'a'.repeat(252)}\u{1f600}b`]).toString();
    expect(text).toBe(`${'a'.repeat(252)}\ufffd…`);
  });
});
