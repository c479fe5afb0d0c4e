import { expect, it } from 'vitest';
import { podSecurityOf } from '../../../../src/core/identity/pod-security-level.ts';

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
