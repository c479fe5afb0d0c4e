import { expect, it } from 'vitest';
import { RULES } from '../../../../src/core/rules/table.ts';

it('has these rules in this order: metrics, documentation and people refer to their names', () => {
  expect(RULES.map(({ id }) => id)).toEqual([
    'names',
    'reserved-labels',
    'dask-container',
    'reserved-volume',
    'mount-paths',
    'reserved-env',
    'tls-options',
    'foreign-credentials',
    'ports',
    'restart-policy',
    'request-over-limit',
  ]);
});
