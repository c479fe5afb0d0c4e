import { describe, it } from 'vitest';
import type { DaskCluster, DaskClusterSpec } from '../../../../src/api/dask-cluster.ts';
import { immutable } from '../../../../src/core/rules/immutable.ts';
import { aCluster } from '../../../support/builders.ts';
import { aGatewayCluster } from '../../../support/gateway-cluster.ts';
import { expectFinding, expectNothing } from '../../../support/verdict.ts';

const withSpec = (spec: Partial<DaskClusterSpec>): DaskCluster => aCluster({ spec });
const neither: DaskCluster = { ...aCluster(), spec: {} };
const placed = { namespaceMode: 'BringYourOwn', namespace: 'b' };

describe('immutable', () => {
  it.each<[string, DaskCluster, DaskCluster]>([
    ['spec', aCluster(), aGatewayCluster()],
    ['spec', aGatewayCluster(), withSpec({ username: 'alice' })],
    ['spec.placement', withSpec({ placement: placed }), aCluster()],
    [
      'spec.placement',
      withSpec({ placement: placed }),
      withSpec({ placement: { ...placed, namespace: 'c' } }),
    ],
    [
      'spec.placement',
      withSpec({ placement: placed }),
      withSpec({ placement: { ...placed, namespaceMode: 'Managed' } }),
    ],
    [
      'spec.placement',
      withSpec({ placement: { externalCluster: 'x' } }),
      withSpec({ placement: { externalCluster: 'y' } }),
    ],
    ['spec.username', withSpec({ username: 'alice' }), withSpec({ username: 'bob' })],
    ['spec.username', withSpec({ username: 'alice' }), aCluster()],
  ])('refuses a change of %s', (path, oldCluster, cluster) => {
    expectFinding(immutable, cluster, { path, says: 'may not change' }, { oldCluster });
  });

  it.each<[string, DaskCluster, DaskCluster]>([
    [
      'what is the same',
      withSpec({ placement: placed, username: 'a' }),
      withSpec({ placement: placed, username: 'a' }),
    ],
    ['what is set for the first time', aCluster(), withSpec({ placement: placed, username: 'alice' })],
    ['what had no form', neither, aGatewayCluster()],
    ['all else', aCluster(), withSpec({ active: false, options: { a: 1 }, replicas: 1 })],
  ])('allows %s', (_what, oldCluster, cluster) => {
    expectNothing(immutable, cluster, { oldCluster });
  });

  it('says nothing of a new object', () => {
    expectNothing(immutable, withSpec({ placement: placed, username: 'alice' }));
  });
});
