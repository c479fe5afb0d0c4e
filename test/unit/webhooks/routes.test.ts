import { describe, expect, it } from 'vitest';
import { CLUSTER_LABEL, CONNECT_LABEL } from '../../../src/api/names.ts';
import type { Decision } from '../../../webhooks/decision.ts';
import { admissionHandlers, PATHS } from '../../../webhooks/routes.ts';
import { anAdmissionContext } from '../../support/admission-context.ts';
import { BadRequest } from '../../../webhooks/review.ts';
import { aCluster, childLabelsOf } from '../../support/builders.ts';
import { json, ReviewWorld } from './review-world.ts';
import { aRequest } from './reviews.ts';

const handlers = admissionHandlers(anAdmissionContext());

async function decide(path: string, change: Parameters<typeof aRequest>[0]): Promise<Decision> {
  const handler = handlers[path];
  if (handler === undefined) throw new Error(`nothing answers ${path}`);
  return handler(aRequest(change));
}

function aPod(labels: Readonly<Record<string, string>>): Parameters<typeof aRequest>[0] {
  const object = json({ metadata: { name: 'p', labels }, spec: { containers: [{ name: 'dask-worker' }] } });
  return { kind: { group: '', version: 'v1', kind: 'Pod' }, object };
}

describe('the paths', () => {
  it('are those that are registered, each once', () => {
    expect(Object.keys(handlers)).toEqual(Object.values(PATHS));
    expect(new Set(Object.keys(handlers)).size).toBe(6);
  });

  it('mutate clusters, and validate what came of it', async () => {
    const object = json(aCluster());
    const mutated = await decide('/mutate/daskclusters', { object });
    expect(mutated).toMatchObject({ allowed: true, patch: [{ op: 'add', path: '/metadata/annotations' }] });
    const validated = await decide('/validate/daskclusters', { object });
    expect(validated).toMatchObject({
      allowed: true,
      patch: [],
      correlation: `${aCluster().metadata.uid}/1`,
    });
  });

  it('give a cluster’s pod its credentials, and refuse it to everybody but the controller', async () => {
    const pod = aPod(childLabelsOf('demo', 'dask-worker'));
    expect(pod?.object).toHaveProperty(['metadata', 'labels', CLUSTER_LABEL]);
    const injected = await decide('/mutate/pods', pod);
    expect(injected.allowed && injected.patch.length).toBeGreaterThan(0);
    expect(await decide('/validate/pods', pod)).toMatchObject({ allowed: false, reason: 'Forbidden' });
  });

  it('give a client’s pod its certificate, and refuse one that has none', async () => {
    const pod = aPod({ [CONNECT_LABEL]: 'demo' });
    const connected = await decide('/mutate/connecting-pods', pod);
    expect(connected.allowed && connected.patch.length).toBeGreaterThan(0);
    const bare = await decide('/validate/connecting-pods', pod);
    expect(bare).toMatchObject({ allowed: false, findings: [{ rule: 'connect' }] });
  });

  it('count what the validating half admits, of an object and of a Scale, and not what the mutating one sees', async () => {
    const world = new ReviewWorld();
    world.cluster = aCluster();
    const { [PATHS.mutateClusters]: mutate, [PATHS.validateClusters]: validate } = admissionHandlers(
      world.context,
    );
    const create = aRequest({ object: json(aCluster()) });
    const object = { spec: { replicas: 2 } };
    const scale = aRequest({ operation: 'UPDATE', subResource: 'scale', object });
    await mutate?.(create);
    await mutate?.(scale);
    expect(world.reserved).toEqual([]);
    await validate?.(create);
    await validate?.(scale);
    expect(world.reserved).toMatchObject([
      { owner: 'ada' },
      { cluster: { spec: { worker: { replicas: 2 } } } },
    ]);
  });

  it.each([
    ['/mutate/daskclusters', { group: 'gateway.dask.org', version: 'v1alpha1', kind: 'Other' }],
    ['/mutate/pods', { group: 'metrics.k8s.io', version: 'v1', kind: 'Pod' }],
    ['/mutate/pods', { group: '', version: 'v1', kind: 'Binding' }],
  ])('%s judges nothing of %j', async (path, kind) => {
    await expect(decide(path, { kind })).rejects.toThrow(BadRequest);
    await expect(decide(path, { kind })).rejects.toThrow('request.kind: this path judges');
  });
});
