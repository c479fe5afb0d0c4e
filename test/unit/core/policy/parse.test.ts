import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../../../src/core/policy/parse.ts';
import { DEFAULT_POLICY, type Policy } from '../../../../src/core/policy/policy.ts';

function policyOf(document: unknown): Policy {
  const parsed = parsePolicy(document);
  if ('problems' in parsed) throw new Error(problemsOf(document).join('\n'));
  return parsed.policy;
}

function problemsOf(document: unknown): string[] {
  const parsed = parsePolicy(document);
  if ('policy' in parsed) return [];
  return parsed.problems.map(({ path, message }) => `${path.toString()}: ${message}`);
}

describe('parsePolicy', () => {
  it('takes the defaults for what is left out', () => {
    expect(policyOf({})).toEqual(DEFAULT_POLICY);
    expect(policyOf({ gatewayForm: {}, reach: {}, limits: {} })).toEqual(DEFAULT_POLICY);
  });

  it('reads every field', () => {
    const rule = {
      name: 'team-a',
      namespaces: ['team-a-*'],
      namespaceLabels: { tier: 'research' },
      users: ['alice'],
      groups: ['a'],
      action: 'Allow',
      allowReach: true,
      sourceNamespaces: ['argocd'],
    };
    const document = {
      enforcement: 'Warn',
      rules: { images: 'Off', 'memory-unit': 'Deny' },
      trustedDeployers: ['system:serviceaccount:argocd:argocd-application-controller'],
      podCreators: ['system:serviceaccount:dask:controller'],
      gatewayForm: { accounts: ['system:serviceaccount:dask:gateway'], onInvalid: 'Deny' },
      namespaces: [rule],
      imageRegistries: ['ghcr.io/dask/'],
      podSecurity: 'baseline',
      reach: { serviceAccounts: ['dask'], secrets: ['s3-*'] },
      credentialsValidityDays: 30,
    };
    expect(policyOf(document)).toEqual({ ...DEFAULT_POLICY, ...document });
  });

  it('reads limits, with quantities as cores and bytes', () => {
    const limits = {
      cluster: { workers: 100, cores: '1500m', memory: '1.5Gi' },
      user: { clusters: 2, cores: 16 },
      users: { alice: {}, 'bob@example.org': { clusters: 0 } },
      namespace: { memory: '64G' },
      namespaces: { research: { memory: 2_097_152 } },
    };
    expect(policyOf({ limits }).limits).toEqual({
      cluster: { workers: 100, cores: 1.5, memoryBytes: 1_610_612_736 },
      user: { clusters: 2, cores: 16 },
      users: { alice: {}, 'bob@example.org': { clusters: 0 } },
      namespace: { memoryBytes: 64e9 },
      namespaces: { research: { memoryBytes: 2_097_152 } },
    });
  });

  it('replaces a list, and does not add to the default one', () => {
    expect(policyOf({ reach: { serviceAccounts: [] } }).reach.serviceAccounts).toEqual([]);
  });

  it('tells all problems at once', () => {
    const document = {
      enforcment: 'Deny',
      rules: { imagse: 'Off' },
      limits: { user: { cores: 'many' } },
      namespaces: [{ name: 'a', action: 'allow' }],
    };
    expect(problemsOf(document)).toEqual([
      'enforcment: unknown field "enforcment": did you mean "enforcement"?',
      'namespaces[0].action: Unsupported value: "allow": supported values: "Allow", "Deny"',
      'rules[imagse]: unknown rule "imagse": did you mean "images"?',
      'limits.user.cores: Invalid value: "many": must be a quantity: a number, or text such as "500m" or "2Gi"',
    ]);
  });

  it.each([
    ['nothing', undefined, ': the configuration is empty: write {} for the defaults'],
    ['null', null, ': the configuration is empty: write {} for the defaults'],
    ['a list', [], ': Invalid value: "array": must be of type object: write one object, not a list'],
    [
      'a text',
      'Deny',
      ': Invalid value: "string": must be of type object: write an object with its fields, not a string',
    ],
    [
      'a text for a list',
      { podCreators: 'alice' },
      'podCreators: Invalid value: "string": must be of type array: write a list',
    ],
    [
      'a null',
      { limits: null },
      'limits: Required value: nothing stands after it: give it a value, or leave it out',
    ],
    [
      'a number that is too small',
      { credentialsValidityDays: 0 },
      'credentialsValidityDays: Invalid value: 0: must be greater than or equal to 1',
    ],
    [
      'a number that is too big',
      { credentialsValidityDays: 36_500 },
      'credentialsValidityDays: Invalid value: 36500: must be less than or equal to 3650',
    ],
    [
      'a blank name',
      { trustedDeployers: [' '] },
      'trustedDeployers[0]: Invalid value: " ": must not be blank',
    ],
    [
      'an entry without its action',
      { namespaces: [{ name: 'a' }] },
      'namespaces[0].action: Required value: must be given',
    ],
    [
      'an entry that matches nothing',
      { namespaces: [{ name: 'a', action: 'Deny', users: [] }] },
      'namespaces[0].users: Invalid value: []: an empty list matches nothing: give it an entry, or leave it out to match everything',
    ],
    [
      'a name that is there twice',
      { namespaces: ['a', 'b', 'a'].map((name) => ({ name, action: 'Deny' })) },
      'namespaces[2].name: Duplicate value: "a": every entry must have a name of its own',
    ],
    [
      'a wrong level',
      { rules: { images: 'Ignore' } },
      'rules[images]: Unsupported value: "Ignore": supported values: "Deny", "Warn", "Off"',
    ],
    [
      'a quantity of another type',
      { limits: { users: { alice: { memory: true } } } },
      'limits.users[alice].memory: Invalid value: "boolean": must be a quantity: a number, or text such as "500m" or "2Gi"',
    ],
    [
      'a negative quantity',
      { limits: { namespaces: { a: { cores: -1 } } } },
      'limits.namespaces[a].cores: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'thousandths of a byte',
      { limits: { cluster: { memory: '512m' } } },
      'limits.cluster.memory: Invalid value: "512m": must be at least 1Mi: without a unit these are bytes, with \'m\' thousandths of a byte',
    ],
    [
      'a limit that there is not of a single cluster',
      { limits: { cluster: { clusters: 1 } } },
      'limits.cluster.clusters: unknown field "clusters": possible here: workers, cores, memory',
    ],
    [
      'a key of the prototype',
      JSON.parse('{"__proto__": {"enforcement": "Warn"}}') as unknown,
      '__proto__: unknown field "__proto__": possible here: enforcement, rules, trustedDeployers, podCreators, gatewayForm, namespaces, imageRegistries, podSecurity, reach, limits, credentialsValidityDays',
    ],
  ])('refuses %s', (_, document, problem) => {
    expect(problemsOf(document)).toEqual([problem]);
  });

  it('refuses a level for a rule that has a fixed one, and says which have none', () => {
    expect(problemsOf({ rules: { 'foreign-credentials': 'Off' } })).toEqual([
      expect.stringMatching(
        /^rules\[foreign-credentials\]: Forbidden: the level of this rule is fixed; adjustable are .*\bimages\b/,
      ),
    ]);
  });

  it('names the adjustable rules where none is near', () => {
    expect(problemsOf({ rules: { '': 'Off' } })[0]).toMatch(
      /^rules\[\]: unknown rule "": adjustable are .*\bimages\b/,
    );
  });

  it('reads a user who has the name of a method', () => {
    const users = JSON.parse('{"__proto__": {"clusters": 1}, "constructor": {"clusters": 2}}') as object;
    expect(Object.entries(policyOf({ limits: { users } }).limits.users)).toEqual([
      ['__proto__', { clusters: 1 }],
      ['constructor', { clusters: 2 }],
    ]);
  });

  it('takes time in proportion to the number of problems', () => {
    const rules = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`r${index}`, 1]));
    expect(problemsOf({ rules })).toHaveLength(20_000);
  });
});
