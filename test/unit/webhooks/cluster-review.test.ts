import { describe, expect, it } from 'vitest';
import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import { DEFAULT_POLICY, type NamespaceRule } from '../../../src/core/policy/policy.ts';
import { judgeClusterReview } from '../../../webhooks/cluster-review.ts';
import type { Decision } from '../../../webhooks/decision.ts';
import type { AdmissionRequest } from '../../../webhooks/review.ts';
import { aCluster, IMAGE, withDaskContainer, withPodSpec } from '../../support/builders.ts';
import { aGatewayCluster } from '../../support/gateway-cluster.ts';
import { aSized, limitedTo } from '../../support/limits.ts';
import { json, ReviewWorld, told } from './review-world.ts';
import { ADA, aRequest } from './reviews.ts';

const GATEWAY = 'system:serviceaccount:dask:gateway-api';
const gatewayForm = { accounts: [GATEWAY], onInvalid: 'Fail' } as const;
const AT_HOST = 'error reach spec.worker.template.spec.hostPID';
const reaching = withPodSpec('worker', { hostPID: true });
const invalid = aCluster({ replicas: -1 });

function by(username: string): Pick<AdmissionRequest, 'requester'> {
  return { requester: { ...ADA, username } };
}

interface Update {
  readonly from: DaskCluster;
  readonly to: DaskCluster;
}

function create(
  world: ReviewWorld,
  cluster: DaskCluster,
  change: Partial<AdmissionRequest> = {},
  isFinal = true,
): Promise<Decision> {
  const request = { ...aRequest(change), object: json(cluster) };
  return judgeClusterReview(request, world.context, { isFinal });
}

function update(
  world: ReviewWorld,
  { from, to }: Update,
  change: Partial<AdmissionRequest> = {},
  isFinal = true,
): Promise<Decision> {
  const asked = { operation: 'UPDATE', oldObject: json(from), ...change } as const;
  return create(world, to, asked, isFinal);
}

function withSpec(cluster: DaskCluster, spec: Partial<DaskCluster['spec']>): DaskCluster {
  return { ...cluster, spec: { ...cluster.spec, ...spec } };
}

describe('the object itself', () => {
  it('is judged with the policy and what the namespace enforces on pods', async () => {
    const world = new ReviewWorld().labelled('team-a', { 'pod-security.kubernetes.io/enforce': 'baseline' });
    await create(world, aCluster());
    expect(world.judged).toEqual([
      { object: json(aCluster()), policy: DEFAULT_POLICY, podSecurity: 'baseline' },
    ]);
  });

  it('is held against the stored one on update', async () => {
    const world = new ReviewWorld();
    await update(world, { from: aCluster(), to: aCluster({ replicas: 2 }) });
    expect(world.judged[0]).toMatchObject({ oldObject: json(aCluster()), podSecurity: 'privileged' });
  });

  it('is judged as well where nothing is known of its namespace', async () => {
    const world = new ReviewWorld();
    world.namespaces.set('team-a', undefined);
    expect(told(await create(world, invalid))).toEqual(['error structure spec.worker.replicas']);
    expect(world.counted).toEqual([{ name: 'demo', owner: 'ada', namespace: 'team-a' }]);
  });

  it('may have neither name nor namespace yet', async () => {
    const { metadata, ...cluster } = aCluster();
    const { name: _name, namespace: _namespace, ...unnamed } = metadata;
    const world = new ReviewWorld();
    const decision = await create(world, {
      ...cluster,
      metadata: { ...unnamed, generateName: 'demo-' },
    });
    expect(decision).toMatchObject({ allowed: true, findings: [] });
    expect(world.counted).toEqual([{ name: '', owner: 'ada', namespace: 'team-a' }]);
    // Two of them would take each other's place.
    expect(world.reserved).toEqual([]);
  });
});

describe('the answer', () => {
  it('is Invalid where the object is wrong, whatever else its requester may not do', async () => {
    const world = new ReviewWorld();
    world.mayDo = () => false;
    const both = { ...reaching, spec: { ...reaching.spec, active: 'yes' as never } };
    const decision = await create(world, both);
    expect(decision).toMatchObject({ allowed: false, reason: 'Invalid' });
    expect(told(decision)).toEqual(['error structure spec.active', AT_HOST]);
  });

  it('is Forbidden where the requester alone is at fault', async () => {
    const world = new ReviewWorld();
    world.mayDo = () => false;
    expect(await create(world, reaching)).toMatchObject({ allowed: false, reason: 'Forbidden' });
  });

  it.each([
    ['the installation', new ReviewWorld().with({ enforcement: 'Warn' })],
    ['the namespace', new ReviewWorld().labelled('team-a', { 'daskwarden.dev/enforcement': 'warn' })],
  ])('is a warning where %s only warns, and says that the object was spared', async (_, world) => {
    const decision = await create(world, invalid);
    expect(decision).toMatchObject({ allowed: true, spared: true });
    expect(told(decision)).toEqual(['warning structure spec.worker.replicas']);
  });

  it('is a denial where the namespace wants one, though the installation warns', async () => {
    const world = new ReviewWorld().with({ enforcement: 'Warn' });
    world.labelled('team-a', { 'daskwarden.dev/enforcement': 'Deny' });
    expect((await create(world, invalid)).allowed).toBe(false);
  });

  it('spares nobody where there was nothing but a warning', async () => {
    const resources = { limits: { memory: '512m' } };
    const decision = await create(new ReviewWorld(), withDaskContainer('worker', { resources }));
    expect(told(decision)).toEqual([
      'warning memory-unit spec.worker.template.spec.containers[0].resources.limits[memory]',
    ]);
    expect(decision).not.toHaveProperty('spared');
  });

  it('fails where the API server does not say what somebody may do: that is no denial', async () => {
    const world = new ReviewWorld();
    world.mayDo = () => Promise.reject(new Error('no answer'));
    await expect(create(world, reaching)).rejects.toThrow('no answer');
    const placed = withSpec(aCluster(), { placement: { namespace: 'team-b' } });
    await expect(create(world, placed)).rejects.toThrow('no answer');
    expect(world.reserved).toEqual([]);
  });
});

describe("dask-gateway's API server", () => {
  const faulty = withSpec(aGatewayCluster(), { replicas: -1 });

  it('is never refused an invalid cluster where invalid ones are to fail', async () => {
    const world = new ReviewWorld().with({ gatewayForm });
    const decision = await create(world, faulty, by(GATEWAY));
    expect(decision).toMatchObject({ allowed: true, spared: true });
    expect(told(decision)).toEqual(['warning structure spec.replicas']);
  });

  it.each([
    ['where they are to be denied', faulty, GATEWAY, 'Deny'],
    ['from somebody else', faulty, 'ada', 'Fail'],
    ['of the other form', invalid, GATEWAY, 'Fail'],
  ] as const)('is refused it %s', async (_, cluster, user, onInvalid) => {
    const world = new ReviewWorld().with({ gatewayForm: { ...gatewayForm, onInvalid } });
    const decision = await create(world, cluster, by(user));
    expect(decision).toMatchObject({ allowed: false, reason: 'Invalid' });
  });

  it('may let pods reach further: what it renders is its operator’s configuration', async () => {
    const world = new ReviewWorld().with({ gatewayForm });
    world.mayDo = () => false;
    const cluster = aGatewayCluster({ worker_extra_pod_config: { hostPID: true } });
    expect(await create(world, cluster, by(GATEWAY))).toMatchObject({ allowed: true, findings: [] });
    expect(world.asked).toEqual([]);
    expect(told(await create(world, cluster))).toEqual([
      'error reach spec.config.worker_extra_pod_config.hostPID',
    ]);
    expect(told(await create(world, reaching, by(GATEWAY)))).toEqual([AT_HOST]);
  });
});

describe('reach', () => {
  it('asks nobody where nothing reaches further', async () => {
    const world = new ReviewWorld();
    expect(await create(world, aCluster())).toMatchObject({ allowed: true, findings: [] });
    expect(world.asked).toEqual([]);
  });

  it('is allowed to whoever may create pods there', async () => {
    const world = new ReviewWorld();
    expect(await create(world, reaching)).toMatchObject({ allowed: true, findings: [] });
    expect(world.asked).toEqual(['ada: create pods in team-a']);
  });

  it('is refused to everybody else', async () => {
    const world = new ReviewWorld();
    world.mayDo = () => false;
    expect(told(await create(world, reaching))).toEqual([AT_HOST]);
  });

  it('is refused to a trusted deployer, whatever it may do itself', async () => {
    const world = new ReviewWorld().with({ trustedDeployers: ['argo'] });
    expect(told(await create(world, reaching, by('argo')))).toEqual([AT_HOST]);
    expect(world.asked).toEqual([]);
  });

  it('is not looked at where a rule of the namespace lifts it', async () => {
    const rule: NamespaceRule = { name: 'admins', users: ['ada'], action: 'Allow', allowReach: true };
    const world = new ReviewWorld().with({ namespaces: [rule] });
    world.mayDo = () => false;
    expect(await create(world, reaching)).toMatchObject({ allowed: true, findings: [] });
  });

  it('is not looked at in an update that leaves the templates alone', async () => {
    const world = new ReviewWorld();
    world.mayDo = () => false;
    const to = withSpec(reaching, { active: false });
    expect(await update(world, { from: reaching, to })).toMatchObject({ allowed: true, findings: [] });
    const options = aGatewayCluster({ worker_extra_pod_config: { hostPID: true } });
    const stopped = withSpec(options, { active: false });
    expect(await update(world, { from: options, to: stopped })).toMatchObject({
      allowed: true,
      findings: [],
    });
  });

  it.each([
    ['the worker', reaching, aCluster(), AT_HOST],
    [
      'the scheduler',
      withPodSpec('scheduler', { hostPID: true }),
      withSpec(aCluster(), { worker: {} }),
      'error reach spec.scheduler.template.spec.hostPID',
    ],
    [
      'the configuration',
      aGatewayCluster({ worker_extra_pod_config: { hostPID: true } }),
      aGatewayCluster(),
      'error reach spec.config.worker_extra_pod_config.hostPID',
    ],
  ])('is looked at in an update of %s', async (_, to, from, expected) => {
    const world = new ReviewWorld();
    world.mayDo = () => false;
    expect(told(await update(world, { from, to }))).toContain(expected);
  });

  it('that was there before is a warning while the template of its role stays, and asks nobody', async () => {
    const world = new ReviewWorld();
    world.mayDo = () => false;
    const scheduler = {
      template: { spec: { containers: [{ name: 'dask-scheduler', image: `${IMAGE}-1` }] } },
    };
    const from = withSpec(reaching, { scheduler: aCluster().spec.scheduler as never });
    const decision = await update(world, { from, to: withSpec(from, { scheduler }) });
    expect(told(decision)).toEqual([AT_HOST.replace('error', 'warning')]);
    expect(world.asked).toEqual([]);
  });
});

describe('limits', () => {
  const policy = limitedTo({ user: { workers: 3 } });

  it('count what others have of the owner and of the namespace', async () => {
    const world = new ReviewWorld().with(policy);
    expect(told(await create(world, aSized({ owner: 'ada', workers: 4 })))).toEqual([
      'error limits spec.worker.replicas',
    ]);
    expect(world.counted).toEqual([{ name: 'demo', owner: 'ada', namespace: 'team-a' }]);
    expect(world.reserved).toEqual([]);
  });

  it('compare with what the cluster had', async () => {
    const world = new ReviewWorld().with(policy);
    const from = aSized({ owner: 'ada', workers: 5 });
    const fewer = aSized({ owner: 'ada', workers: 4 });
    expect(await update(world, { from, to: fewer })).toMatchObject({ allowed: true, findings: [] });
  });

  it('reserve what is admitted, for its owner and in its namespace', async () => {
    const world = new ReviewWorld();
    await create(world, aCluster());
    const cluster = aCluster({ metadata: { annotations: { 'daskwarden.dev/requested-by': 'ada' } } });
    expect(world.reserved).toEqual([{ cluster, owner: 'ada', replaces: undefined }]);
  });

  it('name the version that an update is made from', async () => {
    const world = new ReviewWorld();
    const from = aSized({ owner: 'bob', workers: 1, version: 7 });
    await update(world, { from, to: aSized({ owner: 'bob', workers: 2, version: 7 }) });
    expect(world.reserved).toMatchObject([{ owner: 'bob', replaces: '7' }]);
  });

  it.each([
    ['the mutating half', {}, false, aCluster()],
    ['a dry run', { dryRun: true }, true, aCluster()],
    ['a denial', {}, true, invalid],
  ])('reserve nothing for %s', async (_, change, isFinal, cluster) => {
    const world = new ReviewWorld();
    await create(world, cluster, change, isFinal);
    expect(world.counted).toHaveLength(1);
    expect(world.reserved).toEqual([]);
  });
});
