import { expect, it } from 'vitest';
import { correlationId } from '../../../src/core/correlation.ts';

it('names the version of an object', () => {
  expect(correlationId({ metadata: { uid: 'd1f0', generation: 3, name: 'demo' } })).toBe('d1f0/3');
});

it.each([
  [undefined],
  [[]],
  [{}],
  [{ metadata: null }],
  [{ metadata: { uid: 'd1f0' } }],
  [{ metadata: { generation: 3 } }],
  [{ metadata: { uid: '', generation: 3 } }],
  [{ metadata: { uid: 7, generation: 3 } }],
  [{ metadata: { uid: 'd1f0', generation: '3' } }],
])('has none for %j', (object) => {
  expect(correlationId(object)).toBeUndefined();
});
