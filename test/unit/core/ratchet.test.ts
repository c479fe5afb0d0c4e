import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../src/api/field-path.ts';
import { forbidden, invalid, required, type Finding } from '../../../src/core/findings.ts';
import { ratchet } from '../../../src/core/ratchet.ts';

const env = FieldPath.of('spec', 'env');

function finding(change: { rule?: string; path?: FieldPath; value?: unknown } = {}): Finding {
  return invalid({ rule: 'a', path: env.index(0, 'X').child('name'), value: 'X', message: 'no', ...change });
}

const levels = (findings: readonly Finding[], old: readonly Finding[]): string[] =>
  ratchet(findings, old).map(({ level }) => level);

describe('ratchet', () => {
  it('warns of what the old object did wrong already', () => {
    expect(levels([finding()], [finding()])).toEqual(['warning']);
  });

  it.each<[string, Finding]>([
    ['by another rule', finding({ rule: 'b' })],
    ['elsewhere', finding({ path: env.index(1, 'Y').child('name') })],
    ['with another value', finding({ value: 'Z' })],
    ['with a value that only looks alike', finding({ value: ['X'] })],
  ])('keeps an error that the old object made %s', (_what, old) => {
    expect(levels([finding()], [old])).toEqual(['error']);
  });

  it('keeps an error of an old object without any', () => {
    expect(levels([finding()], [])).toEqual(['error']);
  });

  it('finds an item of a list by its name when it has moved', () => {
    const moved = finding({ path: env.index(7, 'X').child('name') });
    expect(levels([finding()], [moved])).toEqual(['warning']);
    const nameless = finding({ path: env.index(7) });
    expect(levels([nameless], [finding({ path: env.index(6) })])).toEqual(['error']);
  });

  it('compares values by what is in them', () => {
    const old = finding({ value: { a: [1, null] } });
    expect(levels([finding({ value: { a: [1, null] } })], [old])).toEqual(['warning']);
    expect(levels([finding({ value: { a: [1] } })], [old])).toEqual(['error']);
  });

  it('knows a missing value again', () => {
    const missing = required({ rule: 'a', path: env, message: 'no' });
    expect(levels([missing], [missing])).toEqual(['warning']);
  });

  it('keeps order, messages and warnings, and forgets what is mended', () => {
    const first = forbidden({ rule: 'a', path: env, value: 1, message: 'one' });
    const second = finding();
    const told = ratchet([first, second], [second, finding({ rule: 'mended' })]);
    expect(told).toEqual([first, { ...second, level: 'warning', stored: true }]);
  });
});
