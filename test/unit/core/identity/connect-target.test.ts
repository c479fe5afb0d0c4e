import { describe, expect, it } from 'vitest';
import { parseConnectLabel } from '../../../../src/core/identity/connect-target.ts';

describe('parseConnectLabel', () => {
  it('reads a cluster of the own namespace', () => {
    const here = { namespace: 'team-a', cluster: 'demo', secretName: 'dask-credentials-demo' };
    expect(parseConnectLabel('demo', 'team-a')).toEqual(here);
    expect(parseConnectLabel('team-a.demo', 'team-a')).toEqual(here);
  });

  it('reads one of another namespace, whose certificate is in a copy', () => {
    expect(parseConnectLabel('team-a.demo', 'lab')).toEqual({
      namespace: 'team-a',
      cluster: 'demo',
      secretName: 'dask-connect-team-a.demo',
    });
  });

  it.each(['', '.', 'demo.', '.demo', 'a.b.c', 'Demo', 'a_b', '-a', 'a-', 'a/b', 'a b'])(
    'does not understand %j',
    (value) => {
      expect(parseConnectLabel(value, 'team-a')).toBeUndefined();
    },
  );
});
