import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/structure/json.ts';
import type { Decision } from '../../../webhooks/decision.ts';
import type { AdmissionRequest } from '../../../webhooks/review.ts';
import { judgeScaleReview } from '../../../webhooks/scale-review.ts';
import { aGatewayCluster } from '../../support/gateway-cluster.ts';
import { aSized, limitedTo } from '../../support/limits.ts';
import { ReviewWorld, told } from './review-world.ts';
import { aRequest } from './reviews.ts';

const AT_REPLICAS = 'limits spec.replicas';
const LIMITED = limitedTo({ user: { workers: 3 } });

function aScale(replicas: unknown, resourceVersion: unknown = '7'): JsonObject {
  return { metadata: { name: 'demo', resourceVersion }, spec: { replicas } };
}

function scale(
  world: ReviewWorld,
  { from = 1, to }: { readonly from?: number; readonly to: unknown },
  change: Partial<AdmissionRequest> = {},
  isFinal = true,
): Promise<Decision> {
  const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  const request = aRequest({
    ...{ operation: 'UPDATE', kind, subResource: 'scale' },
    ...{ object: aScale(to), oldObject: aScale(from) },
    ...change,
  });
  return judgeScaleReview(request, world.context, { isFinal });
}

function limitedWorld(): ReviewWorld {
  const world = new ReviewWorld().with(LIMITED);
  world.cluster = aSized({ workers: 1 });
  return world;
}

describe('a scale', () => {
  it.each([
    ['without an object', { object: undefined }],
    ['without a spec', { object: {} }],
    ['by a text', { object: aScale('many') }],
  ])('%s is none of ours: the API server refuses it', async (_, change) => {
    const world = limitedWorld();
    expect(await scale(world, { to: 9 }, change)).toEqual({ allowed: true, findings: [], patch: [] });
    expect(world.counted).toEqual([]);
  });

  it('to less than nothing is refused as Invalid', async () => {
    const decision = await scale(limitedWorld(), { to: -1 });
    expect(decision).toMatchObject({ allowed: false, reason: 'Invalid' });
    expect(told(decision)).toEqual(['error scale spec.replicas']);
  });

  it('within the limits is reserved for the owner, as the cluster that it makes', async () => {
    const world = limitedWorld();
    expect(await scale(world, { to: 3 })).toEqual({ allowed: true, findings: [], patch: [] });
    expect(world.counted).toEqual([{ name: 'demo', owner: 'alice', namespace: 'team-a' }]);
    expect(world.reserved).toEqual([{ cluster: aSized({ workers: 3 }), owner: 'alice', replaces: '7' }]);
  });

  it('in the gateway form is counted where that form has its number', async () => {
    const world = limitedWorld();
    world.cluster = aGatewayCluster();
    await scale(world, { to: 2 });
    expect(world.reserved).toMatchObject([{ cluster: { spec: { replicas: 2 } }, owner: 'alice' }]);
  });

  it('beyond the limits is Forbidden', async () => {
    const world = limitedWorld();
    const decision = await scale(world, { to: 4 });
    expect(decision).toMatchObject({ allowed: false, reason: 'Forbidden' });
    expect(told(decision)).toEqual([`error ${AT_REPLICAS}`]);
    expect(world.reserved).toEqual([]);
  });

  it('down is allowed, however much there is', async () => {
    const world = limitedWorld();
    expect(await scale(world, { from: 9, to: 8 })).toMatchObject({ allowed: true, findings: [] });
  });

  it('takes a number that is left out for none, in the old one too', async () => {
    const world = limitedWorld();
    expect(await scale(world, { to: undefined })).toMatchObject({ allowed: true, findings: [] });
    expect(world.reserved[0]?.cluster.spec.worker?.replicas).toBe(0);
    const oldObject = { spec: {} };
    expect((await scale(world, { to: 4 }, { oldObject })).allowed).toBe(false);
    expect((await scale(world, { to: 4 }, { oldObject: undefined })).allowed).toBe(false);
  });

  it.each([
    ['the installation', limitedWorld().with({ enforcement: 'Warn' })],
    ['the namespace', limitedWorld().labelled('team-a', { 'daskwarden.dev/enforcement': 'Warn' })],
  ])('is only warned of where %s warns', async (_, world) => {
    const decision = await scale(world, { to: 4 });
    expect(decision).toMatchObject({ allowed: true, spared: true });
    expect(told(decision)).toEqual([`warning ${AT_REPLICAS}`]);
  });

  it('counts for the namespace where that one is not known either', async () => {
    const world = limitedWorld().with({ trustedDeployers: ['alice'] });
    world.namespaces.set('team-a', undefined);
    await scale(world, { to: 2 });
    expect(world.counted).toMatchObject([{ owner: 'system:namespace:team-a' }]);
  });

  it('counts for whom the namespace names, of what a trusted deployer made', async () => {
    const world = limitedWorld().with({ trustedDeployers: ['alice'] });
    world.labelled('team-a', {}, { 'daskwarden.dev/owner': 'carol' });
    await scale(world, { to: 2 });
    expect(world.counted).toMatchObject([{ owner: 'carol' }]);
  });

  it('up of a cluster that is not seen yet is refused where there are limits, and reserves nothing', async () => {
    const world = limitedWorld();
    world.cluster = undefined;
    expect(told(await scale(world, { to: 2 }))).toEqual([`error ${AT_REPLICAS}`]);
    world.with(limitedTo({}));
    expect((await scale(world, { to: 2 })).allowed).toBe(true);
    expect(world.reserved).toEqual([]);
    expect(world.counted).toEqual([]);
  });

  it.each([
    ['in the mutating half', {}, false],
    ['in a dry run', { dryRun: true }, true],
  ])('reserves nothing %s', async (_, change, isFinal) => {
    const world = limitedWorld();
    expect((await scale(world, { to: 2 }, change, isFinal)).allowed).toBe(true);
    expect(world.reserved).toEqual([]);
  });

  it.each([
    ['no metadata', { spec: { replicas: 1 } }],
    ['no version', aScale(1, null)],
    ['a version that is a number', aScale(1, 7)],
  ])('replaces no version that it knows where the old one has %s', async (_, oldObject) => {
    const world = limitedWorld();
    await scale(world, { to: 2 }, { oldObject });
    expect(world.reserved).toMatchObject([{ replaces: undefined }]);
  });

  it('fails where the namespace cannot be had', async () => {
    const world = limitedWorld();
    const namespaceOf = (): Promise<never> => Promise.reject(new Error('no answer'));
    const context = { ...world.context, namespaceOf };
    const request = aRequest({ object: aScale(2) });
    await expect(judgeScaleReview(request, context, { isFinal: true })).rejects.toThrow('no answer');
  });
});
