import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeResponse } from '../../../webhooks/response.ts';
import { BadRequest, parseReview } from '../../../webhooks/review.ts';
import { admissionHandlers } from '../../../webhooks/routes.ts';
import { aCluster } from '../../support/builders.ts';
import { aReviewBody } from '../../unit/webhooks/reviews.ts';

const HANDLERS = Object.entries(admissionHandlers({ podCreators: new Set(['controller']) }));

const POD = {
  metadata: {
    name: 'w',
    labels: { 'gateway.dask.org/cluster': 'demo', 'app.kubernetes.io/component': 'dask-worker' },
  },
  spec: { containers: [{ name: 'dask-worker', image: 'x', env: [], volumeMounts: [] }], volumes: [] },
};

/** A value with something else at one of its places. */
function damaged(value: unknown): fc.Arbitrary<unknown> {
  const anything = fc.jsonValue({ maxDepth: 3 });
  if (typeof value !== 'object' || value === null) return anything;
  const places = Object.entries(value).map(([key, child]) =>
    damaged(child).map((other) => {
      if (Array.isArray(value)) return (value as unknown[]).with(Number(key), other);
      return { ...value, [key]: other };
    }),
  );
  return fc.oneof(anything, ...places);
}

const bodies = fc.oneof(
  { weight: 1, arbitrary: fc.jsonValue() },
  { weight: 2, arbitrary: damaged(aReviewBody({ object: aCluster() })) },
  {
    weight: 3,
    arbitrary: fc
      .record({
        kind: fc.constantFrom(
          { group: 'gateway.dask.org', version: 'v1alpha1', kind: 'DaskCluster' },
          { group: '', version: 'v1', kind: 'Pod' },
        ),
        operation: fc.constantFrom('CREATE', 'UPDATE', 'DELETE'),
        object: fc.oneof(damaged(aCluster({ replicas: 1 })), damaged(POD)),
        oldObject: fc.oneof(fc.constant(null), damaged(aCluster()), damaged(POD)),
      })
      .map(aReviewBody),
  },
);

/** What the API server demands of an answer; anything else it counts as a failed call. */
function expectValid(path: string, response: ReturnType<typeof encodeResponse>['response']): void {
  expect(typeof response.uid).toBe('string');
  expect(response.patch === undefined).toBe(response.patchType === undefined);
  if (path.startsWith('/validate')) expect(response).not.toHaveProperty('patchType');
  if (!response.allowed)
    expect(response.status).toMatchObject({ message: expect.stringMatching(/./) as string });
  for (const warning of response.warnings ?? []) expect(warning.length).toBeLessThanOrEqual(120);
}

describe('any JSON as a review', () => {
  it.each(HANDLERS)('at %s gets a valid answer or is a bad request, and never an error', (path, handler) => {
    fc.assert(
      fc.property(bodies, (body) => {
        const sent: unknown = JSON.parse(JSON.stringify(body));
        try {
          const review = parseReview(sent);
          expectValid(path, encodeResponse(review, handler(review)).response);
        } catch (error) {
          if (!(error instanceof BadRequest)) throw error;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
