import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/structure/json.ts';
import { clusterHandlers } from '../../../webhooks/clusters.ts';
import type { Decision } from '../../../webhooks/decision.ts';
import { BadRequest } from '../../../webhooks/review.ts';
import { anAdmissionContext } from '../../support/admission-context.ts';
import { aCluster, withPodSpec } from '../../support/builders.ts';
import { applyJsonPatch } from '../../support/json-patch.ts';
import { aRequest } from './reviews.ts';

function json(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function paths(decision: Decision): readonly string[] {
  return decision.findings.map(({ level, path }) => `${level} ${path.toString()}`);
}

const GOOD = json(aCluster());
/** Two faults: one of the structure and one of a rule. */
const BAD = json({
  ...withPodSpec('scheduler', { volumes: [{ name: 'dask-credentials', emptyDir: {} }] }),
  spec: {
    ...withPodSpec('scheduler', { volumes: [{ name: 'dask-credentials', emptyDir: {} }] }).spec,
    active: 'yes',
  },
});
const BOTH = ['error spec.active', 'error spec.scheduler.template.spec.volumes[0].name'];

const { mutate, validate } = clusterHandlers(anAdmissionContext());
/** As the mutating half leaves it. */
const REQUESTED = { 'daskwarden.dev/requested-by': 'ada' };

describe.each([
  ['mutate', mutate],
  ['validate', validate],
])('%s', (_, judge) => {
  it('allows a good cluster and leaves it as it was written', async () => {
    const decision = await judge(aRequest({ object: GOOD }));
    expect(decision).toMatchObject({ allowed: true, findings: [] });
  });

  it('refuses with all findings at once', async () => {
    const decision = await judge(aRequest({ object: BAD }));
    expect(decision).toMatchObject({ allowed: false, reason: 'Invalid' });
    expect(paths(decision)).toEqual(BOTH);
  });

  it('gives a dry run the same verdict', async () => {
    const request = aRequest({ object: BAD });
    expect(await judge({ ...request, dryRun: true })).toEqual(await judge(request));
  });

  it('warns of what was wrong before, and refuses what is wrong anew', async () => {
    const { active: _, ...spec } = BAD['spec'] as Record<string, unknown>;
    const old = { ...BAD, spec };
    const labelled = { ...old, metadata: { ...(old as { metadata?: object }).metadata, labels: { a: 'b' } } };
    const unchanged = await judge(aRequest({ operation: 'UPDATE', object: labelled, oldObject: old }));
    expect(unchanged.allowed).toBe(true);
    expect(paths(unchanged)).toEqual(['warning spec.scheduler.template.spec.volumes[0].name']);
    const worse = await judge(aRequest({ operation: 'UPDATE', object: BAD, oldObject: old }));
    expect(worse.allowed).toBe(false);
    expect(paths(worse)).toEqual(['error spec.active', BOTH[1]?.replace('error', 'warning')]);
  });

  it('lets an object end, whatever it looks like', async () => {
    const ending = { ...BAD, metadata: { name: 'demo', deletionTimestamp: '2026-03-01T12:00:00Z' } };
    const object = { ...ending, metadata: { ...ending.metadata, finalizers: [] } };
    expect((await judge(aRequest({ operation: 'UPDATE', object, oldObject: ending }))).allowed).toBe(true);
    const wasGood = { ...GOOD, metadata: ending.metadata };
    expect((await judge(aRequest({ operation: 'UPDATE', object, oldObject: wasGood }))).allowed).toBe(true);
  });

  it('does not believe an object that says of itself that it is ending', async () => {
    const object = { ...BAD, metadata: { name: 'demo', deletionTimestamp: '2026-03-01T12:00:00Z' } };
    expect((await judge(aRequest({ object }))).allowed).toBe(false);
    expect((await judge(aRequest({ operation: 'UPDATE', object, oldObject: GOOD }))).allowed).toBe(false);
  });

  it.each(['DELETE', 'CONNECT'] as const)('says nothing to %s', async (operation) => {
    expect((await judge(aRequest({ operation, oldObject: BAD }))).allowed).toBe(true);
  });

  it('refuses a negative scale and allows every other', async () => {
    const scale = (spec: unknown): Promise<Decision> =>
      judge(
        aRequest({
          operation: 'UPDATE',
          kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
          subResource: 'scale',
          object: { spec },
        }),
      );
    expect(paths(await scale({ replicas: -1 }))).toEqual(['error spec.replicas']);
    expect((await scale({ replicas: 0 })).allowed).toBe(true);
    expect((await scale({ replicas: 5 })).allowed).toBe(true);
    // The API server leaves a zero out.
    expect((await scale({})).allowed).toBe(true);
    expect((await scale(undefined)).allowed).toBe(true);
  });

  it.each([
    [
      'another kind',
      aRequest({ kind: { group: 'kubernetes.dask.org', version: 'v1', kind: 'DaskCluster' } }),
      'request.kind: this path judges DaskCluster.gateway.dask.org, not DaskCluster.kubernetes.dask.org',
    ],
    [
      'the status',
      aRequest({ subResource: 'status', object: GOOD }),
      'request.subResource: this path judges the object and /scale, not /status',
    ],
    ['no object', aRequest(), 'request.object must be a DaskCluster'],
  ])('cannot judge %s', async (_case, request, message) => {
    await expect(judge(request)).rejects.toThrow(new BadRequest(message));
  });
});

describe('the mutation', () => {
  const withNulls = json(
    withPodSpec('worker', { nodeName: null, tolerations: null, nodeSelector: null } as never),
  );

  it('names the requester, takes out the nulls that a server-side apply would be refused for, and nothing else', async () => {
    const decision = await mutate(aRequest({ object: withNulls }));
    if (!decision.allowed) throw new Error('denied');
    const asked = { ...json(withPodSpec('worker', {})) };
    expect(applyJsonPatch(withNulls, decision.patch)).toEqual({
      ...asked,
      metadata: { ...(asked['metadata'] as object), annotations: REQUESTED },
    });
  });

  it('is idempotent', async () => {
    const first = await mutate(aRequest({ object: withNulls }));
    if (!first.allowed) throw new Error('denied');
    const second = await mutate(aRequest({ object: applyJsonPatch(withNulls, first.patch) }));
    expect(second).toEqual({ allowed: true, findings: [], patch: [] });
  });

  it('puts back who asked for the cluster where an update leaves it out, and does not miss it', async () => {
    const stored = { ...GOOD, metadata: { ...(GOOD['metadata'] as object), annotations: REQUESTED } };
    const replacement = aRequest({ operation: 'UPDATE', object: GOOD, oldObject: stored });
    const decision = await mutate(replacement);
    if (!decision.allowed) throw new Error('denied');
    expect(applyJsonPatch(GOOD, decision.patch)).toEqual(stored);
    expect(paths(await validate(replacement))).toEqual([
      'error metadata.annotations[daskwarden.dev/requested-by]',
    ]);
  });

  it('is the only one of the two that patches', async () => {
    expect(await validate(aRequest({ object: withNulls }))).toMatchObject({ allowed: true, patch: [] });
  });

  it('keeps the requester of an update that leaves the annotation out, and leaves an ending object alone', async () => {
    const stored = { ...GOOD, metadata: { ...(GOOD['metadata'] as object), annotations: REQUESTED } };
    const update = aRequest({ operation: 'UPDATE', object: GOOD, oldObject: stored });
    const refused = await validate(update);
    expect(paths(refused)).toEqual(['error metadata.annotations[daskwarden.dev/requested-by]']);
    const ending = { ...stored, metadata: { ...stored.metadata, deletionTimestamp: '2026-03-01T12:00:00Z' } };
    expect(await mutate({ ...update, oldObject: ending })).toEqual({
      allowed: true,
      findings: [],
      patch: [],
    });
  });

  it('leaves a Scale as it is', async () => {
    const object = { metadata: {}, spec: { replicas: 1 } };
    const decision = await mutate(aRequest({ operation: 'UPDATE', subResource: 'scale', object }));
    expect(decision).toEqual({ allowed: true, findings: [], patch: [] });
  });
});

describe('the correlation', () => {
  const CORRELATION = '5f1e0c3a-0000-4000-8000-000000000001/1';

  it('is told by the validating half alone, of allowances and denials', async () => {
    expect(await validate(aRequest({ object: GOOD }))).toMatchObject({ correlation: CORRELATION });
    expect(await mutate(aRequest({ object: GOOD }))).not.toHaveProperty('correlation');
    const bad = { ...BAD, metadata: GOOD['metadata'] } as JsonObject;
    expect(await validate(aRequest({ object: bad }))).toMatchObject({
      allowed: false,
      correlation: CORRELATION,
    });
    expect(await mutate(aRequest({ object: bad }))).not.toHaveProperty('correlation');
  });

  it('is not told where there is none', async () => {
    const object = { ...GOOD, metadata: { name: 'demo' } };
    expect(await validate(aRequest({ object }))).not.toHaveProperty('correlation');
  });
});
