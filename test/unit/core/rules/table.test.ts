import { expect, it } from 'vitest';
import { RULES } from '../../../../src/core/rules/table.ts';

it('has these rules in this order: metrics, documentation and people refer to their names', () => {
  expect(RULES.map(({ id }) => id)).toEqual([
    'names',
    'reserved-labels',
    'immutable',
    'dask-container',
    'reserved-volume',
    'mount-paths',
    'reserved-env',
    'tls-options',
    'foreign-credentials',
    'images',
    'ports',
    'restart-policy',
    'request-over-limit',
    'memory-unit',
    'removed-command',
    'template-namespace',
    'validity',
    'route-namespace',
    'no-effect-yet',
  ]);
});
