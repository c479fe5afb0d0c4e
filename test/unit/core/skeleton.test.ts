import { describe, expect, it } from 'vitest';
import { skeletonOf, type Skeleton } from '../../../src/core/skeleton.ts';
import { aCluster, withDaskContainer } from '../../support/builders.ts';

const { spec, metadata } = aCluster();
const { scheduler, worker } = spec;

function skeleton(object: unknown): Skeleton {
  const found = skeletonOf(object);
  if (found === undefined) throw new Error('it is not taken apart');
  return found;
}

function keyOf(object: unknown): string {
  return skeleton(object).templatesKey;
}

describe('skeletonOf', () => {
  it.each([
    ['no object', 'text'],
    ['no metadata', { spec }],
    ['a name that is a number', { metadata: { name: 7 }, spec }],
    ['no spec', { metadata }],
    ['the other form', { metadata, spec: { ...spec, config: {} } }],
    ['no template', { metadata, spec: { scheduler: {}, worker: { replicas: 1 } } }],
    ['a part that is null', { metadata, spec: { scheduler: null, worker: null } }],
    ['a template that is text', { metadata, spec: { scheduler, worker: { template: 'x' } } }],
    ['a null in a template', withDaskContainer('worker', { args: null as unknown as string[] })],
    ['an infinite number', withDaskContainer('scheduler', { ports: [{ containerPort: Infinity }] })],
    ['deep nesting', { metadata, spec: { worker: { template: nested(100) } } }],
  ])('leaves %s alone', (_, object) => {
    expect(skeletonOf(object)).toBeUndefined();
  });

  it('takes the templates out, and puts them back', () => {
    const object = aCluster({ replicas: 3 });
    const { rest, complete } = skeleton(object);
    expect(JSON.stringify(rest)).not.toContain('image');
    expect(rest).toMatchObject({ metadata, spec: { worker: { replicas: 3 } } });
    expect(complete(rest)).toEqual(object);
  });

  it('leaves out what was not there', () => {
    const object = { metadata, spec: { worker } };
    const { rest, complete } = skeleton(object);
    expect(rest).toMatchObject({ spec: { worker: {} } });
    expect(rest['spec']).not.toHaveProperty('scheduler');
    expect(complete(rest)).toEqual(object);
  });

  it('tells apart what rules or pods may tell apart, and nothing else', () => {
    const key = keyOf(aCluster());
    expect(keyOf(aCluster({ replicas: 7, metadata: { labels: { a: 'b' } } }))).toBe(key);
    const others = [
      aCluster({ name: 'other' }),
      aCluster({ namespace: 'team-b' }),
      aCluster({ metadata: { generateName: 'demo-' } }),
      withDaskContainer('worker', { args: ['--x'] }),
      aCluster({ spec: { scheduler: worker!, worker: scheduler! } }),
      { metadata, spec: { worker } },
      { metadata, spec: { scheduler: worker } },
    ].map(keyOf);
    expect(new Set([key, ...others]).size).toBe(1 + others.length);
  });

  it('keeps texts that only look like a null', () => {
    expect(skeletonOf(withDaskContainer('worker', { args: ['null', 'annullable'] }))).toBeDefined();
  });
});

describe('restOf', () => {
  const { restOf } = skeleton(aCluster());

  it('is what stands around the same templates, in any order of their fields', () => {
    const reordered = { spec: { worker: { ...worker, replicas: 5 }, scheduler }, metadata };
    expect(restOf(reordered)).toMatchObject({ metadata, spec: { worker: { replicas: 5 } } });
  });

  it.each([
    ['text', 'x'],
    ['nothing', undefined],
    ['another template', withDaskContainer('worker', { args: ['--x'] })],
    ['a template less', { metadata, spec: { worker } }],
    ['the other form', { metadata, spec: { config: {} } }],
  ])('is not there for %s', (_, version) => {
    expect(restOf(version)).toBeUndefined();
  });
});

function nested(levels: number): object {
  return levels === 0 ? {} : { a: nested(levels - 1) };
}
