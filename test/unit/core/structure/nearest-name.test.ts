import { expect, it } from 'vitest';
import { nearestName } from '../../../../src/core/structure/nearest-name.ts';

const known = ['env', 'envFrom', 'image', 'imagePullPolicy', 'resources'];

it.each([
  ['envs', 'env'],
  ['ENV', 'env'],
  ['evnFrom', 'envFrom'],
  ['image_pull_policy', 'imagePullPolicy'],
  ['resource', 'resources'],
])('%s is %s', (name, meant) => {
  expect(nearestName(name, known)).toBe(meant);
});

it.each(['arg', 'ports', '', '__proto__'])('nothing is near %j', (name) => {
  expect(nearestName(name, known)).toBeUndefined();
});

it('does not compare what is too long to be a slip', () => {
  const name = `${'e'.repeat(64)}x`;
  expect(nearestName(name, ['e'.repeat(64)])).toBeUndefined();
});
