import { describe, expect, it } from 'vitest';
import type { Placement } from '../../../../src/api/dask-cluster.ts';
import { format } from '../../../../src/core/findings.ts';
import {
  judgePlacementAnswers,
  placementQuestions,
  type PlacementQuery,
} from '../../../../src/core/identity/placement.ts';
import type { Requester } from '../../../../src/core/identity/requester.ts';
import { DEFAULT_POLICY, type NamespaceRule } from '../../../../src/core/policy/policy.ts';
import { aCluster } from '../../../support/builders.ts';

const ARGO = 'system:serviceaccount:argocd:controller';
const ada: Requester = { username: 'ada', uid: '', groups: [], extra: {} };
const argo: Requester = { ...ada, username: ARGO };

const CREATE = { verb: 'create', group: '', namespace: 'lab', name: '' };
const PODS = { ...CREATE, resource: 'pods' };
const SECRETS = { ...CREATE, resource: 'secrets' };
const USE = {
  verb: 'use',
  group: 'daskwarden.dev',
  resource: 'externalclusters',
  namespace: '',
  name: 'west',
};

function asked(
  placement: Placement | undefined,
  requester = ada,
  rules: readonly Partial<NamespaceRule>[] = [],
  target?: PlacementQuery['target'],
) {
  const namespaces = rules.map((rule, index) => ({ name: `r${index}`, action: 'Allow' as const, ...rule }));
  const { questions, findings } = placementQuestions({
    cluster: aCluster({ spec: placement === undefined ? {} : { placement } }),
    requester,
    policy: { ...DEFAULT_POLICY, trustedDeployers: [ARGO], namespaces },
    target,
  });
  return { questions, told: findings.map(format) };
}

describe('placementQuestions', () => {
  it.each<[string, Placement | undefined]>([
    ['no placement', undefined],
    ['an empty one', {}],
    ['the own namespace', { namespace: 'team-a' }],
    ['empty names', { namespace: '', externalCluster: '' }],
    ['a namespace that is still to be made here', { namespaceMode: 'Managed' }],
  ])('asks nothing for %s', (_, placement) => {
    for (const requester of [ada, argo]) {
      expect(asked(placement, requester)).toEqual({ questions: [], told: [] });
    }
  });

  it('asks for pods and Secrets in another namespace', () => {
    expect(asked({ namespace: 'lab' })).toEqual({ questions: [PODS, SECRETS], told: [] });
  });

  it('asks for the use of an external cluster, in whichever namespace', () => {
    expect(asked({ externalCluster: 'west' })).toEqual({ questions: [USE], told: [] });
    expect(asked({ externalCluster: 'west', namespace: 'lab' })).toEqual({ questions: [USE], told: [] });
  });

  it('holds the namespace rules against the other namespace', () => {
    const rules = [{ action: 'Deny' as const, namespaceLabels: { tier: 'gold' } }];
    const lab = { name: 'lab', labels: { tier: 'gold' }, annotations: {} };
    expect(asked({ namespace: 'lab' }, ada, rules, lab).told).toEqual([
      "spec.placement.namespace: Forbidden: the rule 'r0' allows 'ada' no clusters in namespace 'lab'; ask whoever runs daskwarden for a rule that allows it",
    ]);
    expect(asked({ namespace: 'lab' }, ada, rules, { ...lab, name: 'other' }).told).toEqual([]);
  });
});

describe('a trusted deployer', () => {
  it('is asked nothing, and needs a rule for the namespace that the cluster comes from', () => {
    expect(asked({ namespace: 'lab' }, argo)).toEqual({
      questions: [],
      told: [
        "spec.placement.namespace: Forbidden: a trusted deployer may place clusters of namespace 'team-a' only by a rule that allows it and names that one under sourceNamespaces, and there is none for this place; leave the placement out, or ask whoever runs daskwarden",
      ],
    });
  });

  it.each<[string, Partial<NamespaceRule>]>([
    ['for any place', { sourceNamespaces: ['team-*'] }],
    ['for this place', { sourceNamespaces: ['team-a'], namespaces: ['l*'] }],
    ['for itself', { sourceNamespaces: ['*'], users: [ARGO] }],
  ])('may by a rule %s', (_, rule) => {
    expect(asked({ namespace: 'lab' }, argo, [{}, rule])).toEqual({ questions: [], told: [] });
  });

  it.each<[string, Partial<NamespaceRule>]>([
    ['for no source', {}],
    ['for another source', { sourceNamespaces: ['team-b'] }],
    ['for another place', { sourceNamespaces: ['*'], namespaces: ['prod'] }],
    ['for another account', { sourceNamespaces: ['*'], users: ['ada'] }],
  ])('may not by a rule %s', (_, rule) => {
    expect(asked({ namespace: 'lab' }, argo, [rule]).told).toHaveLength(1);
  });

  it('may not where an earlier rule refuses the place', () => {
    const told = asked({ namespace: 'lab' }, argo, [
      { action: 'Deny', namespaces: ['lab'] },
      { sourceNamespaces: ['*'] },
    ]).told;
    expect(told).toEqual([expect.stringContaining("the rule 'r0' refuses this place")]);
  });

  it('needs a rule for every namespace where the external one has no name yet', () => {
    const placement = { externalCluster: 'west' };
    const told = asked(placement, argo, [{ sourceNamespaces: ['*'], namespaces: ['lab'] }]).told;
    expect(told).toEqual([expect.stringContaining('spec.placement.externalCluster: Forbidden')]);
    expect(asked(placement, argo, [{ sourceNamespaces: ['*'], namespaces: ['lab', '*'] }]).told).toEqual([]);
    expect(asked(placement, argo, [{ sourceNamespaces: ['team-a'] }]).told).toEqual([]);
  });
});

describe('judgePlacementAnswers', () => {
  it('tells every refused right, and takes a missing answer for a no', () => {
    const findings = judgePlacementAnswers(ada, [PODS, SECRETS, USE], [true, false]);
    expect(findings.map(format)).toEqual([
      "spec.placement.namespace: Forbidden: 'ada' may not create secrets in namespace 'lab'; leave it out, name a namespace where you may, or ask for that right",
      "spec.placement.externalCluster: Forbidden: 'ada' may not use the external cluster 'west'; leave it out, or ask for the verb 'use' on externalclusters.daskwarden.dev",
    ]);
    expect(findings.map(({ rule, value }) => [rule, value])).toEqual([
      ['placement', 'lab'],
      ['placement', 'west'],
    ]);
  });

  it('says nothing where all is allowed', () => {
    expect(judgePlacementAnswers(ada, [PODS, SECRETS], [true, true])).toEqual([]);
  });
});
