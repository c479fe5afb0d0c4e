import { beforeEach, describe, expect, test } from 'vitest';
import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import { FieldPath } from '../../../src/api/field-path.ts';
import { REQUESTED_BY_ANNOTATION } from '../../../src/api/names.ts';
import { GatewayVerdicts } from '../../../src/controller/gateway-verdicts.ts';
import type { Finding } from '../../../src/core/findings.ts';
import { DEFAULT_POLICY, type NamespaceRule, type Policy } from '../../../src/core/policy/policy.ts';
import { aGatewayCluster } from '../../support/gateway-cluster.ts';

const ACCOUNT = 'system:serviceaccount:gateway:api';
const FAULT: Finding = {
  level: 'error',
  rule: 'pod-validation',
  path: FieldPath.of('spec', 'config'),
  reason: 'FieldValueInvalid',
  message: 'no',
  value: undefined,
};
const { signal } = new AbortController();

let policy: Policy;
let labels: Readonly<Record<string, string>>;
let asked: number;
let ofPods: readonly Finding[];
let verdicts: GatewayVerdicts;

beforeEach(() => {
  policy = { ...DEFAULT_POLICY, gatewayForm: { accounts: [ACCOUNT], onInvalid: 'Fail' } };
  labels = {};
  asked = 0;
  ofPods = [];
  verdicts = new GatewayVerdicts({
    policy: () => policy,
    namespaceOf: (name) => ({ name, labels, annotations: {} }),
    dryRuns: {
      findingsOf: () => {
        asked += 1;
        return Promise.resolve(ofPods);
      },
      forget: () => undefined,
    },
  });
});

function writtenBy(account: string | undefined): DaskCluster {
  const { metadata, ...cluster } = aGatewayCluster();
  const annotations = account === undefined ? {} : { [REQUESTED_BY_ANNOTATION]: account };
  return { ...cluster, metadata: { ...metadata, annotations } };
}

async function rulesOf(cluster: DaskCluster): Promise<readonly string[]> {
  return (await verdicts.errorsOf(cluster, signal)).map(({ rule }) => rule);
}

describe('what Kubernetes says of the pods', () => {
  test('ends a cluster, as far as the configuration and the namespace let it', async () => {
    ofPods = [FAULT];
    expect(await rulesOf(writtenBy(ACCOUNT))).toEqual(['pod-validation']);
    labels = { 'daskwarden.dev/enforcement': 'Warn' };
    expect(await rulesOf(writtenBy(ACCOUNT))).toEqual([]);
    labels = {};
    policy = { ...policy, rules: { 'pod-validation': 'Off' } };
    expect(await rulesOf(writtenBy(ACCOUNT))).toEqual([]);
  });

  test('is not asked where such a cluster is denied', async () => {
    ofPods = [FAULT];
    policy = { ...policy, gatewayForm: { accounts: [ACCOUNT], onInvalid: 'Deny' } };
    expect(await rulesOf(writtenBy(ACCOUNT))).toEqual([]);
    expect(asked).toBe(0);
  });
});

describe('a namespace rule', () => {
  const rule = (of: Partial<NamespaceRule>): void => {
    policy = { ...policy, namespaces: [{ name: 'nobody', action: 'Deny', ...of }] };
  };

  test.each<[string, Partial<NamespaceRule>]>([
    ['everybody', {}],
    ['the account', { users: [ACCOUNT] }],
    ['its groups', { groups: ['system:serviceaccounts:gateway'] }],
    ['the user whose cluster it is', { users: ['alice'] }],
  ])('against %s ends a cluster', async (_what, of) => {
    rule(of);
    const [finding] = await verdicts.errorsOf(writtenBy(ACCOUNT), signal);
    expect(finding?.rule).toBe('namespace-rules');
    expect(finding?.path.toString()).toBe('metadata.namespace');
  });

  test.each<[string, Partial<NamespaceRule>, string | undefined]>([
    ['that is about others', { users: ['bob'] }, ACCOUNT],
    ['where it is not known who wrote it', {}, undefined],
    ["where it is none of dask-gateway's, which admission has refused itself", {}, 'mallory'],
  ])('ends none %s', async (_what, of, account) => {
    rule(of);
    expect(await rulesOf(writtenBy(account))).toEqual([]);
  });

  test('about groups is not held against an account whose groups nobody knows', async () => {
    policy = { ...policy, gatewayForm: { accounts: ['gateway'], onInvalid: 'Fail' } };
    rule({});
    expect(await rulesOf(writtenBy('gateway'))).toEqual(['namespace-rules']);
    rule({ groups: ['trusted'] });
    expect(await rulesOf(writtenBy('gateway'))).toEqual([]);
  });
});
