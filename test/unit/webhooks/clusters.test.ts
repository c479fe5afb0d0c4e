import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/structure/json.ts';
import { mutateCluster, validateCluster } from '../../../webhooks/clusters.ts';
import type { Decision } from '../../../webhooks/decision.ts';
import { BadRequest } from '../../../webhooks/review.ts';
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

describe.each([
  ['mutateCluster', mutateCluster],
  ['validateCluster', validateCluster],
])('%s', (_, judge) => {
  it('allows a good cluster and leaves it as it was written', () => {
    expect(judge(aRequest({ object: GOOD }))).toEqual({ allowed: true, findings: [], patch: [] });
  });

  it('refuses with all findings at once', () => {
    const decision = judge(aRequest({ object: BAD }));
    expect(decision).toMatchObject({ allowed: false, reason: 'Invalid' });
    expect(paths(decision)).toEqual(BOTH);
  });

  it('gives a dry run the same verdict', () => {
    const request = aRequest({ object: BAD });
    expect(judge({ ...request, dryRun: true })).toEqual(judge(request));
  });

  it('warns of what was wrong before, and refuses what is wrong anew', () => {
    const { active: _, ...spec } = BAD['spec'] as Record<string, unknown>;
    const old = { ...BAD, spec };
    const labelled = { ...old, metadata: { ...(old as { metadata?: object }).metadata, labels: { a: 'b' } } };
    const unchanged = judge(aRequest({ operation: 'UPDATE', object: labelled, oldObject: old }));
    expect(unchanged.allowed).toBe(true);
    expect(paths(unchanged)).toEqual(['warning spec.scheduler.template.spec.volumes[0].name']);
    const worse = judge(aRequest({ operation: 'UPDATE', object: BAD, oldObject: old }));
    expect(worse.allowed).toBe(false);
    expect(paths(worse)).toEqual(['error spec.active', BOTH[1]?.replace('error', 'warning')]);
  });

  it('lets an object end, whatever it looks like', () => {
    const ending = { ...BAD, metadata: { name: 'demo', deletionTimestamp: '2026-03-01T12:00:00Z' } };
    const object = { ...ending, metadata: { ...ending.metadata, finalizers: [] } };
    expect(judge(aRequest({ operation: 'UPDATE', object, oldObject: ending })).allowed).toBe(true);
    const wasGood = { ...GOOD, metadata: ending.metadata };
    expect(judge(aRequest({ operation: 'UPDATE', object, oldObject: wasGood })).allowed).toBe(true);
  });

  it('does not believe an object that says of itself that it is ending', () => {
    const object = { ...BAD, metadata: { name: 'demo', deletionTimestamp: '2026-03-01T12:00:00Z' } };
    expect(judge(aRequest({ object })).allowed).toBe(false);
    expect(judge(aRequest({ operation: 'UPDATE', object, oldObject: GOOD })).allowed).toBe(false);
  });

  it.each(['DELETE', 'CONNECT'] as const)('says nothing to %s', (operation) => {
    expect(judge(aRequest({ operation, oldObject: BAD })).allowed).toBe(true);
  });

  it('refuses a negative scale and allows every other', () => {
    const scale = (spec: unknown): Decision =>
      judge(
        aRequest({
          operation: 'UPDATE',
          kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
          subResource: 'scale',
          object: { spec },
        }),
      );
    expect(paths(scale({ replicas: -1 }))).toEqual(['error spec.replicas']);
    expect(scale({ replicas: 0 }).allowed).toBe(true);
    expect(scale({ replicas: 5 }).allowed).toBe(true);
    // The API server leaves a zero out.
    expect(scale({}).allowed).toBe(true);
    expect(scale(undefined).allowed).toBe(true);
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
  ])('cannot judge %s', (_case, request, message) => {
    expect(() => judge(request)).toThrow(new BadRequest(message));
  });
});

describe('mutateCluster', () => {
  const withNulls = json(
    withPodSpec('worker', { nodeName: null, tolerations: null, nodeSelector: null } as never),
  );

  it('takes out the nulls that a server-side apply would be refused for, and nothing else', () => {
    const decision = mutateCluster(aRequest({ object: withNulls }));
    if (!decision.allowed) throw new Error('denied');
    expect(applyJsonPatch(withNulls, decision.patch)).toEqual(json(withPodSpec('worker', {})));
  });

  it('is idempotent', () => {
    const first = mutateCluster(aRequest({ object: withNulls }));
    if (!first.allowed) throw new Error('denied');
    const second = mutateCluster(aRequest({ object: applyJsonPatch(withNulls, first.patch) }));
    expect(second).toEqual({ allowed: true, findings: [], patch: [] });
  });

  it('is the only one of the two that patches', () => {
    expect(validateCluster(aRequest({ object: withNulls }))).toMatchObject({ allowed: true, patch: [] });
  });
});
