import { describe, expect, it } from 'vitest';
import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import type { NamespaceRule } from '../../../src/core/policy/policy.ts';
import { judgeClusterReview } from '../../../webhooks/cluster-review.ts';
import type { Decision } from '../../../webhooks/decision.ts';
import { aCluster } from '../../support/builders.ts';
import { json, ReviewWorld, told } from './review-world.ts';
import { ADA, aRequest } from './reviews.ts';

const ARGO = 'system:serviceaccount:argo:controller';
const REQUESTED_BY = 'daskwarden.dev/requested-by';
const AT_REQUESTED_BY = `requested-by metadata.annotations[${REQUESTED_BY}]`;

function review(
  world: ReviewWorld,
  { from, to }: { readonly from?: DaskCluster; readonly to: DaskCluster },
  username = 'ada',
): Promise<Decision> {
  const request = aRequest({
    requester: { ...ADA, username },
    ...(from !== undefined && { operation: 'UPDATE', oldObject: json(from) }),
  });
  return judgeClusterReview({ ...request, object: json(to) }, world.context, { isFinal: true });
}

function requestedBy(name: string, spec: Partial<DaskCluster['spec']> = {}): DaskCluster {
  const { metadata, ...cluster } = aCluster();
  return {
    ...cluster,
    metadata: { ...metadata, annotations: { [REQUESTED_BY]: name } },
    spec: { ...cluster.spec, ...spec },
  };
}

function withSpec(spec: Partial<DaskCluster['spec']>): DaskCluster {
  return { ...aCluster(), spec: { ...aCluster().spec, ...spec } };
}

describe('the owner', () => {
  it.each([
    ['whoever creates it', aCluster(), 'ada', 'ada'],
    ['the user that a trusted deployer names', withSpec({ username: 'bob' }), ARGO, 'bob'],
    ["the namespace's, where a trusted deployer names nobody", aCluster(), ARGO, 'carol'],
  ])('of a new cluster is %s', async (_, to, username, owner) => {
    const world = new ReviewWorld().with({ trustedDeployers: [ARGO] });
    world.labelled('team-a', {}, { 'daskwarden.dev/owner': 'carol' });
    await review(world, { to }, username);
    expect(world.counted).toMatchObject([{ owner }]);
  });

  it('of a stored one is who created it, and not who changes it', async () => {
    const world = new ReviewWorld();
    await review(world, { from: requestedBy('bob'), to: requestedBy('bob', { active: false }) });
    expect(world.counted).toMatchObject([{ owner: 'bob' }]);
  });

  it('of one that is older than daskwarden is not who changes it', async () => {
    const world = new ReviewWorld();
    await review(world, { from: aCluster(), to: aCluster({ replicas: 2 }) });
    expect(world.counted).toMatchObject([{ owner: 'system:namespace:team-a' }]);
    expect(world.reserved[0]?.cluster.metadata).not.toHaveProperty('annotations');
  });

  it('keeps the annotations beside its own', async () => {
    const world = new ReviewWorld();
    await review(world, { to: aCluster({ metadata: { annotations: { note: 'x' } } }) });
    expect(world.reserved[0]?.cluster.metadata.annotations).toEqual({ note: 'x', [REQUESTED_BY]: 'ada' });
  });
});

describe('the name of the requester', () => {
  it('may be written as it is, but not be another’s', async () => {
    const world = new ReviewWorld();
    expect(await review(world, { to: requestedBy('ada') })).toMatchObject({ allowed: true, findings: [] });
    const forged = await review(world, { to: requestedBy('bob') });
    expect(forged).toMatchObject({ allowed: false, reason: 'Forbidden' });
    expect(told(forged)).toEqual([`error ${AT_REQUESTED_BY}`]);
    expect(world.reserved).toHaveLength(1);
  });

  it('stays as it is stored', async () => {
    const decision = await review(new ReviewWorld(), { from: requestedBy('bob'), to: requestedBy('ada') });
    expect(told(decision)).toEqual([`error ${AT_REQUESTED_BY}`]);
  });

  it('is never only warned of: limits count by it', async () => {
    const world = new ReviewWorld().with({ enforcement: 'Warn' });
    expect((await review(world, { to: requestedBy('bob') })).allowed).toBe(false);
  });
});

describe('rules of namespaces', () => {
  const labelled = aCluster({ metadata: { labels: { team: 'a' } } });
  const closed: NamespaceRule = { name: 'closed', namespaces: ['team-a'], action: 'Deny' };
  const DENIED = ['error namespace-rules metadata.namespace'];
  const labelledAndStopped = { ...withSpec({ active: false }), metadata: labelled.metadata };

  function closedWorld(): ReviewWorld {
    return new ReviewWorld().with({ namespaces: [closed] });
  }

  it('hold for a new cluster, whether it runs or not', async () => {
    const decision = await review(closedWorld(), { to: aCluster() });
    expect(decision).toMatchObject({ allowed: false, reason: 'Forbidden' });
    expect(told(decision)).toEqual(DENIED);
    expect(told(await review(closedWorld(), { to: withSpec({ active: false }) }))).toEqual(DENIED);
  });

  it.each([
    ['stopped', aCluster(), withSpec({ active: false })],
    ['scaled down', aCluster({ replicas: 4 }), aCluster({ replicas: 2 })],
    ['labelled', aCluster(), labelled],
    ['labelled while it is stopped', withSpec({ active: false }), labelledAndStopped],
  ])('do not keep a cluster from being %s', async (_, from, to) => {
    expect(await review(closedWorld(), { from, to })).toMatchObject({ allowed: true, findings: [] });
  });

  it.each([
    ['by true', withSpec({ active: true })],
    ['by leaving it out', aCluster()],
  ])('hold for a cluster that is resumed %s', async (_, to) => {
    expect(told(await review(closedWorld(), { from: withSpec({ active: false }), to }))).toEqual(DENIED);
  });

  it('see the owner that a trusted deployer names', async () => {
    const bobs: NamespaceRule = { name: 'bob', users: ['bob'], namespaces: ['team-a'], action: 'Allow' };
    const world = closedWorld().with({ namespaces: [bobs, closed], trustedDeployers: [ARGO] });
    expect(told(await review(world, { to: withSpec({ username: 'bob' }) }, ARGO))).toEqual([]);
    expect(told(await review(world, { to: withSpec({ username: 'eve' }) }, ARGO))).toEqual(DENIED);
  });
});

describe('the placement', () => {
  const placed = withSpec({ placement: { namespace: 'team-b' } });
  const REFUSED = 'error placement spec.placement.namespace';

  it('asks nothing where there is none', async () => {
    const world = new ReviewWorld();
    await review(world, { to: aCluster() });
    expect(world.asked).toEqual([]);
  });

  it('elsewhere asks for pods and Secrets there, and needs both', async () => {
    const world = new ReviewWorld();
    expect((await review(world, { to: placed })).allowed).toBe(true);
    expect(world.asked).toEqual(['ada: create pods in team-b', 'ada: create secrets in team-b']);
    world.mayDo = ({ resource }) => resource === 'pods';
    const decision = await review(world, { to: placed });
    expect(decision).toMatchObject({ allowed: false, reason: 'Forbidden' });
    expect(told(decision).filter((text) => text.startsWith('error'))).toEqual([REFUSED]);
  });

  it('on an external cluster asks for its use', async () => {
    const world = new ReviewWorld();
    world.mayDo = () => false;
    const decision = await review(world, { to: withSpec({ placement: { externalCluster: 'gpu' } }) });
    expect(world.asked).toEqual(['ada: use externalclusters gpu in ']);
    expect(told(decision)).toContain('error placement spec.placement.externalCluster');
  });

  it('is held against the rules for the namespace that it names', async () => {
    const rule: NamespaceRule = { name: 'gpu', namespaceLabels: { gpu: 'yes' }, action: 'Deny' };
    const world = new ReviewWorld().with({ namespaces: [rule] }).labelled('team-b', { gpu: 'yes' });
    expect(told(await review(world, { to: placed }))).toContain(
      'error namespace-rules spec.placement.namespace',
    );
  });

  it('is not asked about again while it stays', async () => {
    const world = new ReviewWorld();
    world.mayDo = () => false;
    const to = { ...placed, spec: { ...placed.spec, active: false } };
    expect((await review(world, { from: placed, to })).allowed).toBe(true);
    expect(world.asked).toEqual([]);
  });

  it('is asked about where it changes', async () => {
    const world = new ReviewWorld();
    await review(world, { from: aCluster(), to: placed });
    expect(world.asked).toHaveLength(2);
  });

  it('of a trusted deployer asks nothing, and needs a rule', async () => {
    const world = new ReviewWorld().with({ trustedDeployers: [ARGO] });
    expect(told(await review(world, { to: placed }, ARGO))).toContain(REFUSED);
    const rule: NamespaceRule = {
      name: 'argo',
      namespaces: ['team-b'],
      action: 'Allow',
      sourceNamespaces: ['team-a'],
    };
    world.with({ namespaces: [rule] });
    expect((await review(world, { to: placed }, ARGO)).allowed).toBe(true);
    expect(world.asked).toEqual([]);
  });
});
