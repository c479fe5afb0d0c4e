import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../../src/api/field-path.ts';
import { format } from '../../../../src/core/findings.ts';
import { judgeNamespace, type NamespaceQuery } from '../../../../src/core/identity/namespace-rules.ts';
import type { Requester } from '../../../../src/core/identity/requester.ts';
import { DEFAULT_POLICY, type NamespaceRule } from '../../../../src/core/policy/policy.ts';

const ARGO = 'system:serviceaccount:argocd:controller';
const ada: Requester = { username: 'ada', uid: '1', groups: ['data', 'system:authenticated'], extra: {} };

function judged(rules: readonly Partial<NamespaceRule>[], change: Partial<NamespaceQuery> = {}) {
  const namespaces = rules.map((rule, index) => ({ name: `r${index}`, action: 'Deny' as const, ...rule }));
  const { findings, allowReach } = judgeNamespace({
    policy: { ...DEFAULT_POLICY, trustedDeployers: [ARGO], namespaces },
    requester: ada,
    namespace: { name: 'team-a', labels: { tier: 'gold' }, annotations: {} },
    ...change,
  });
  expect(findings.every(({ rule, level }) => rule === 'namespace-rules' && level === 'error')).toBe(true);
  return { told: findings.map(format), allowReach };
}

describe('judgeNamespace', () => {
  it('allows what no rule speaks of', () => {
    expect(judged([])).toEqual({ told: [], allowReach: false });
  });

  it.each<[string, Partial<NamespaceRule>]>([
    ['nothing', {}],
    ['the namespace', { namespaces: ['prod', 'team-*'] }],
    ['its label', { namespaceLabels: { tier: 'gold' } }],
    ['the user', { users: ['a*'] }],
    ['a group', { groups: ['data'] }],
    ['all of it', { namespaces: ['*'], namespaceLabels: { tier: 'gold' }, users: ['ada'], groups: ['d*'] }],
  ])('applies a rule that names %s', (_, rule) => {
    expect(judged([rule]).told).toHaveLength(1);
  });

  it.each<[string, Partial<NamespaceRule>]>([
    ['namespace', { namespaces: ['prod'], users: ['ada'] }],
    ['label', { namespaceLabels: { tier: 'gold', zone: 'a' } }],
    ["label's value", { namespaceLabels: { tier: 'silver' } }],
    ['inherited property for a label', { namespaceLabels: { constructor: 'x' } }],
    ['user', { users: ['bob'], groups: ['data'] }],
    ['group', { users: ['ada'], groups: ['ops'] }],
    ['one of no users', { users: [] }],
  ])('does not apply one that wants another %s', (_, rule) => {
    expect(judged([rule]).told).toEqual([]);
  });

  it('lets the first rule that applies decide', () => {
    expect(judged([{ action: 'Allow', users: ['ada'] }, {}]).told).toEqual([]);
    expect(judged([{ users: ['ada'] }, { action: 'Allow' }]).told).toHaveLength(1);
  });

  it('names the rule and who to ask', () => {
    expect(judged([{ name: 'quiet' }]).told).toEqual([
      "metadata.namespace: Forbidden: the rule 'quiet' allows 'ada' no clusters in namespace 'team-a'; ask whoever runs daskwarden for a rule that allows it",
    ]);
  });

  it('names the places that are possible for the requester', () => {
    const rules: Partial<NamespaceRule>[] = [
      { action: 'Allow', namespaces: ['dev-*', 'lab'], groups: ['data'] },
      { action: 'Allow', namespaceLabels: { dask: 'yes' } },
      { action: 'Allow', namespaces: ['ops'], users: ['bob'] },
      {},
      { action: 'Allow', namespaces: ['too-late'] },
    ];
    expect(judged(rules, { path: FieldPath.of('spec', 'placement', 'namespace') }).told).toEqual([
      "spec.placement.namespace: Forbidden: the rule 'r3' allows 'ada' no clusters in namespace 'team-a'; possible are namespaces 'dev-*', 'lab', or namespaces labelled dask=yes",
    ]);
  });

  describe('reach', () => {
    it('is given by the rule that decides alone', () => {
      expect(judged([{ action: 'Allow', allowReach: true }]).allowReach).toBe(true);
      expect(judged([{ action: 'Allow' }, { action: 'Allow', allowReach: true }]).allowReach).toBe(false);
      expect(judged([{ allowReach: true }]).allowReach).toBe(false);
    });

    it('is not given for a user whom a deployer names', () => {
      const deployed = { requester: { ...ada, username: ARGO }, owner: 'bob' };
      const rule = { action: 'Allow', allowReach: true } as const;
      expect(judged([{ ...rule, users: ['bob'] }], deployed).allowReach).toBe(false);
      expect(judged([{ ...rule, users: [ARGO] }], deployed).allowReach).toBe(true);
    });
  });

  it('holds a rule for a user against those for whom a deployer writes, and against nobody else', () => {
    const rules = [{ users: ['bob'] }];
    const told = judged(rules, { requester: { ...ada, username: ARGO }, owner: 'bob' }).told;
    expect(told).toEqual([
      `metadata.namespace: Forbidden: the rule 'r0' allows '${ARGO}' for 'bob' no clusters in namespace 'team-a'; ask whoever runs daskwarden for a rule that allows it`,
    ]);
    expect(judged(rules, { owner: 'bob' }).told).toEqual([]);
  });
});
