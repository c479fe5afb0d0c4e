import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../src/api/field-path.ts';
import type { Finding } from '../../src/core/findings.ts';
import { differenceOf } from './differences.ts';
import { minimal } from './minimal.ts';

const CPU = FieldPath.of('spec', 'worker', 'template', 'spec')
  .child('containers')
  .index(0)
  .child('resources', 'limits');

function finding(rule: string, path: FieldPath, level: Finding['level'] = 'error'): Finding {
  return { rule, path, level, reason: 'FieldValueInvalid', message: 'wrong', value: undefined };
}

function error(path: string): { allowed: boolean; errors: readonly string[] } {
  return { allowed: false, errors: [`${path}: Invalid value: "a: [b]": wrong`] };
}

describe('differenceOf', () => {
  const path = CPU.key('cpu');

  it.each([
    ['both admit', [], { allowed: true }, undefined],
    [
      'both refuse at one path',
      [finding('pod-validation', path)],
      error(CPU.child('cpu').toString()),
      undefined,
    ],
    ['we admit', [], error(path.toString()), 'admitted'],
    ['we only warn', [finding('pod-validation', path, 'warning')], error(path.toString()), 'admitted'],
    ['we admit what does not fit the types', [], { allowed: false, decode: 'json: …' }, 'admitted'],
    ['we refuse', [finding('pod-validation', path)], { allowed: true }, 'refused'],
    ['a product rule refuses', [finding('ports', path)], { allowed: true }, undefined],
    ['another path', [finding('pod-validation', CPU)], error(path.toString()), 'missed'],
    [
      'a product rule says it of the map',
      [finding('request-over-limit', CPU)],
      error(path.toString()),
      undefined,
    ],
    [
      'one too many',
      [finding('pod-validation', path), finding('pod-validation', CPU.key('memory'))],
      error(path.toString()),
      'invented',
    ],
    ['injected', [], { allowed: false, errors: ['spec.a: Not found: "dask-credentials"'] }, undefined],
  ] as const)('%s', (_, findings, oracle, kind) => {
    expect(differenceOf(findings, oracle)?.kind).toBe(kind);
  });
});

describe('minimal', () => {
  it('leaves out what the property does not need', async () => {
    const manifest = { a: [{ x: 1 }, { y: 2, z: [3] }], b: { c: 4 } };
    const small = await minimal(manifest, 1, (candidates) =>
      Promise.resolve(candidates.map((candidate) => JSON.stringify(candidate).includes('"y":2'))),
    );
    expect(small).toEqual({ a: [{ y: 2 }], b: {} });
  });
});
