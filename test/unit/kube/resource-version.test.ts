import { expect, test } from 'vitest';
import { hasReached } from '../../../src/kube/resource-version.ts';

test.each([
  ['5', '5', true],
  ['6', '5', true],
  ['5', '6', false],
  ['10', '9', true],
  ['9', '10', false],
  ['18446744073709551615', '18446744073709551614', true],
  [undefined, '5', false],
  ['5', undefined, false],
  ['', '5', false],
  ['0', '0', false],
  ['abc', 'abb', false],
])('%s has reached %s: %s', (version, written, reached) => {
  expect(hasReached(version, written)).toBe(reached);
});
