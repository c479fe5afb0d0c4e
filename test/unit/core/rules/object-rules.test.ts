import { describe, expect, it } from 'vitest';
import type { DaskCluster, DaskClusterSpec } from '../../../../src/api/dask-cluster.ts';
import { format } from '../../../../src/core/findings.ts';
import { DEFAULT_POLICY } from '../../../../src/core/policy/policy.ts';
import { noEffectYet } from '../../../../src/core/rules/no-effect-yet.ts';
import { routeNamespace } from '../../../../src/core/rules/route-namespace.ts';
import { validity } from '../../../../src/core/rules/validity.ts';
import { aCluster } from '../../../support/builders.ts';
import { expectFinding, expectNothing, findingsOf } from '../../../support/verdict.ts';

const withSpec = (spec: Partial<DaskClusterSpec>, namespace = 'team-a'): DaskCluster =>
  aCluster({ spec, namespace });
const YEAR_SECONDS = 31_536_000;

describe('validity', () => {
  it.each(['startDeadlineSeconds', 'idleTimeoutSeconds', 'activeDeadlineSeconds'])('bounds %s', (field) => {
    const path = `spec.lifecycle.${field}`;
    const late = withSpec({ lifecycle: { [field]: YEAR_SECONDS + 1 } });
    expectFinding(validity, late, { path, says: `${YEAR_SECONDS + 1}: must be at most ${YEAR_SECONDS}` });
    expectNothing(validity, withSpec({ lifecycle: { [field]: YEAR_SECONDS } }));
    const policy = { ...DEFAULT_POLICY, credentialsValidityDays: 1 };
    const day = withSpec({ lifecycle: { [field]: 86_401 } });
    expectFinding(validity, day, { path, says: 'valid for 1 days' }, { policy });
  });

  it('leaves what comes after the end alone', () => {
    expectNothing(validity, withSpec({ lifecycle: { ttlSecondsAfterFinished: YEAR_SECONDS * 2 } }));
    expectNothing(validity, aCluster());
  });
});

describe('route-namespace', () => {
  it.each(['traefik', 'gateway-api'])('bounds the namespace of %s', (routes) => {
    expectFinding(routeNamespace, withSpec({ routes }, 'n'.repeat(52)), {
      path: 'spec.routes',
      says: 'at most 51 characters',
    });
    expectNothing(routeNamespace, withSpec({ routes }, 'n'.repeat(51)));
  });

  it('asks nothing where there is no route, or no namespace to be seen', () => {
    expectNothing(routeNamespace, withSpec({ routes: 'none' }, 'n'.repeat(63)));
    expectNothing(routeNamespace, withSpec({}, 'n'.repeat(63)));
    const { spec } = withSpec({ routes: 'traefik' });
    expectNothing(routeNamespace, { metadata: { name: 'demo' }, spec });
  });
});

describe('no-effect-yet', () => {
  it.each<[string, Partial<DaskClusterSpec>]>([
    ['spec.placement.externalCluster', { placement: { externalCluster: 'gpu' } }],
    ['spec.placement.namespaceMode', { placement: { namespaceMode: 'Managed' } }],
    ['spec.placement.namespace', { placement: { namespace: 'other' } }],
    ['spec.routes', { routes: 'traefik' }],
    ['spec.lifecycle.startDeadlineSeconds', { lifecycle: { startDeadlineSeconds: 1 } }],
    ['spec.lifecycle.idleTimeoutSeconds', { lifecycle: { idleTimeoutSeconds: 0 } }],
    ['spec.lifecycle.activeDeadlineSeconds', { lifecycle: { activeDeadlineSeconds: 1 } }],
    ['spec.lifecycle.ttlSecondsAfterFinished', { lifecycle: { ttlSecondsAfterFinished: 1 } }],
    ['spec.lifecycle.nodeLostSeconds', { lifecycle: { nodeLostSeconds: 1 } }],
  ])('warns of %s, in few words', (path, spec) => {
    const cluster = withSpec(spec);
    expectFinding(noEffectYet, cluster, { path, says: 'has no effect yet', level: 'warning' });
    expect(findingsOf(noEffectYet, cluster).map(format).join().length).toBeLessThan(120);
  });

  it('says nothing of what has an effect', () => {
    const placement = { namespaceMode: 'Shared', namespace: 'team-a' };
    expectNothing(noEffectYet, withSpec({ placement, routes: 'none', lifecycle: { schedulerRestarts: 1 } }));
    expectNothing(noEffectYet, aCluster());
  });
});
