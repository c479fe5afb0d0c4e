import { describe, expect, it } from 'vitest';
import { namespaceOwner, ownerOf } from '../../../../src/core/identity/owner.ts';
import { DEFAULT_POLICY } from '../../../../src/core/policy/policy.ts';
import { aCluster } from '../../../support/builders.ts';

const ARGO = 'system:serviceaccount:argocd:application-controller';
const GATEWAY = 'system:serviceaccount:dask:gateway';
const POLICY = {
  ...DEFAULT_POLICY,
  trustedDeployers: [ARGO],
  gatewayForm: { accounts: [GATEWAY], onInvalid: 'Fail' as const },
};

interface Case {
  readonly requestedBy?: string;
  readonly username?: string;
  readonly namespaceOwner?: string;
  readonly gatewayForm?: boolean;
}

function owner({ requestedBy, username, namespaceOwner: owner, gatewayForm = false }: Case): string {
  const cluster = aCluster({
    metadata:
      requestedBy === undefined ? {} : { annotations: { 'daskwarden.dev/requested-by': requestedBy } },
    spec: { ...(username !== undefined && { username }) },
  });
  const { scheduler: _scheduler, ...spec } = cluster.spec;
  return ownerOf({
    cluster: gatewayForm ? { ...cluster, spec: { ...spec, config: {} } } : cluster,
    policy: POLICY,
    namespace: {
      name: 'team-a',
      labels: {},
      annotations: owner === undefined ? {} : { 'daskwarden.dev/owner': owner },
    },
  });
}

describe('the owner of a cluster', () => {
  it.each<[string, Case, string]>([
    ['is who asked for it', { requestedBy: 'ada', username: 'bob', namespaceOwner: 'carl' }, 'ada'],
    [
      'of a deployer is the named user',
      { requestedBy: ARGO, username: 'bob', namespaceOwner: 'carl' },
      'bob',
    ],
    ["of dask-gateway's account is the named user", { requestedBy: GATEWAY, username: 'bob' }, 'bob'],
    [
      "of a deployer without a user is the namespace's",
      { requestedBy: ARGO, namespaceOwner: 'carl' },
      'carl',
    ],
    [
      'of a deployer with an empty user too',
      { requestedBy: ARGO, username: '', namespaceOwner: 'carl' },
      'carl',
    ],
    ['is the namespace where nothing says more', { requestedBy: ARGO }, 'system:namespace:team-a'],
    [
      'is no namespace by being called so',
      { requestedBy: ARGO, username: 'system:namespace:x' },
      'system:namespace:team-a',
    ],
    [
      'without the annotation is not whom a template names',
      { username: 'bob', namespaceOwner: 'carl' },
      'carl',
    ],
    ['without the annotation is whom dask-gateway names', { username: 'bob', gatewayForm: true }, 'bob'],
    ['without anything is the namespace', {}, namespaceOwner('team-a')],
    ['is no one of an empty annotation', { requestedBy: '' }, namespaceOwner('team-a')],
  ])('%s', (_, given, expected) => {
    expect(owner(given)).toBe(expected);
  });

  it('is the namespace also where that is not known', () => {
    expect(ownerOf({ cluster: aCluster(), policy: POLICY })).toBe('system:namespace:team-a');
  });
});
