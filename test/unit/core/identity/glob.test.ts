import { describe, expect, it } from 'vitest';
import { matchesGlob, matchesSome } from '../../../../src/core/identity/glob.ts';

describe('matchesGlob', () => {
  it.each([
    ['team-a', 'team-a', true],
    ['team-a', 'team-ab', false],
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'anything at all', true],
    ['team-*', 'team-', true],
    ['team-*', 'a-team-b', false],
    ['*-dev', 'team-dev', true],
    ['*-dev', 'team-dev-2', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'acb', false],
    ['a*bc*c', 'abc', false],
    ['*a*a*', 'a', false],
    ['**', 'x', true],
    ['a.c', 'abc', false],
    ['system:serviceaccount:*:argocd', 'system:serviceaccount:x:argocd', true],
  ])('%j on %j', (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected);
  });

  it('is fast on what takes an expression that goes back for ever', () => {
    const start = performance.now();
    expect(matchesGlob(`${'*a'.repeat(500)}b`, 'a'.repeat(4096))).toBe(false);
    expect(performance.now() - start).toBeLessThan(200);
  });
});

describe('matchesSome', () => {
  it('lets everything through without a list, and nothing by an empty one', () => {
    expect(matchesSome(undefined, [])).toBe(true);
    expect(matchesSome([], ['a'])).toBe(false);
    expect(matchesSome(['a', 'b*'], ['c', 'bc'])).toBe(true);
    expect(matchesSome(['*'], [])).toBe(false);
  });
});
