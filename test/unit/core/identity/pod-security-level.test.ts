import { expect, it } from 'vitest';
import { podSecurityOf, stricter } from '../../../../src/core/identity/pod-security-level.ts';

it.each([
  [undefined, 'privileged'],
  ['privileged', 'privileged'],
  ['baseline', 'baseline'],
  ['restricted', 'restricted'],
  ['Baseline', 'restricted'],
  ['', 'restricted'],
])('the label %j enforces %s', (value, level) => {
  const labels = value === undefined ? {} : { 'pod-security.kubernetes.io/enforce': value };
  expect(podSecurityOf({ 'pod-security.kubernetes.io/warn': 'restricted', ...labels })).toBe(level);
});

it.each([
  ['privileged', 'baseline', 'baseline'],
  ['restricted', 'baseline', 'restricted'],
  ['baseline', 'baseline', 'baseline'],
] as const)('of %s and %s, %s is the stricter', (one, other, level) => {
  expect(stricter(one, other)).toBe(level);
});
