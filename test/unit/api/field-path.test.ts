import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../src/api/field-path.ts';

const containers = FieldPath.of('spec', 'containers');

describe('FieldPath', () => {
  it.each([
    [FieldPath.root, ''],
    [FieldPath.of('spec'), 'spec'],
    [containers.index(0, 'dask').child('image'), 'spec.containers[0].image'],
    [FieldPath.of('limits').key('cpu'), 'limits[cpu]'],
    [FieldPath.of('labels').key('gateway.dask.org/cluster'), 'labels[gateway.dask.org/cluster]'],
    [FieldPath.root.index(2), '[2]'],
    [FieldPath.root.key('a').child('b'), '[a].b'],
    [FieldPath.of('a').index(1).index(2).child('b'), 'a[1][2].b'],
  ])('is written as Kubernetes writes it: %s', (path, text) => {
    expect(path.toString()).toBe(text);
    expect(String(path)).toBe(text);
  });

  it('leads to the value', () => {
    const path = containers.index(1, 'dask').child('resources', 'limits').key('cpu');
    expect(path.keys()).toEqual(['spec', 'containers', 1, 'resources', 'limits', 'cpu']);
    expect(FieldPath.root.keys()).toEqual([]);
  });

  it('is the same for an item that has moved, but for one that has no name', () => {
    expect(containers.index(0, 'dask').identity()).toBe('spec.containers[name="dask"]');
    expect(containers.index(0, 'dask').identity()).toBe(containers.index(3, 'dask').identity());
    expect(containers.index(0, 'dask').identity()).not.toBe(containers.index(0, 'proxy').identity());
    expect(containers.index(0).identity()).not.toBe(containers.index(3).identity());
  });

  it('tells a name that looks like a position or a path from one', () => {
    expect(containers.index(0, '0').identity()).not.toBe(containers.index(0).identity());
    expect(containers.index(0, 'a"].x[name="b').identity()).not.toBe(
      containers.index(0, 'a').child('x').index(0, 'b').identity(),
    );
  });

  it('is never changed by a step', () => {
    containers.child('x').index(1);
    expect(containers.toString()).toBe('spec.containers');
  });
});
