import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/structure/json.ts';
import { clusterHandlers } from '../../webhooks/clusters.ts';
import type { Decision } from '../../webhooks/decision.ts';
import { admissionHandlers } from '../../webhooks/routes.ts';
import { anAdmissionContext } from '../support/admission-context.ts';
import { applyJsonPatch } from '../support/json-patch.ts';
import { randomCluster } from '../support/random-cluster.ts';
import { aRequest, aReviewBody } from '../unit/webhooks/reviews.ts';
import { type Answer, runningServer } from '../unit/webhooks/running-server.ts';
import { hostileText, placesOf, replaced, wholeCluster, wholePod } from './hostile-json.ts';

const CONTEXT = anAdmissionContext();
const HANDLERS = admissionHandlers(CONTEXT);
const { mutate, validate } = clusterHandlers(CONTEXT);
const PATHS = Object.keys(HANDLERS);
/** Of the processor, for the review and the client that sends it: the clock of a busy machine proves nothing. */
const BUDGET_MS = 1_000;

const CLUSTER_REVIEW = aReviewBody({ object: wholeCluster });
const POD_REVIEW = aReviewBody({ kind: { group: '', version: 'v1', kind: 'Pod' }, object: wholePod });
const UPDATE_REVIEW = aReviewBody({ operation: 'UPDATE', object: wholeCluster, oldObject: wholeCluster });
const REVIEWS = [CLUSTER_REVIEW, POD_REVIEW, UPDATE_REVIEW];
const reviews = fc.constantFrom(...REVIEWS);

/** What kube-apiserver demands of a response; it counts anything else as a failed call. */
function expectReview(path: string, body: unknown): void {
  const { apiVersion, kind, response } = body as Record<string, unknown> & {
    response: Record<string, unknown> & { warnings?: string[]; status?: { code: number; message: string } };
  };
  expect({ apiVersion, kind }).toEqual({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' });
  expect(response['uid']).toEqual(expect.any(String));
  expect(response['allowed']).toEqual(expect.any(Boolean));
  expect('patch' in response).toBe('patchType' in response);
  if (path.startsWith('/validate')) expect(response).not.toHaveProperty('patch');
  expect(response.status === undefined).toBe(response['allowed']);
  if (response.status !== undefined) expect([403, 422]).toContain(response.status.code);
}

async function expectSound(
  post: (body: string | Uint8Array, options: { path: string }) => Promise<Answer>,
  path: string,
  body: string | Uint8Array,
): Promise<void> {
  const before = process.cpuUsage();
  const { code, body: answer } = await post(body, { path });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(BUDGET_MS);
  if (code === 200) expectReview(path, answer);
  else expect(answer).toMatchObject({ kind: 'Status', status: 'Failure', code });
  expect([200, 400, 413]).toContain(code);
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Reflect.ownKeys({})).toEqual([]);
}

/** Sends what is made of these to the real service, one after the other, and looks for traces of a bug of ours. */
async function sendAll<T>(
  arbitrary: Arbitrary<T>,
  bodyOf: (given: T) => string | Uint8Array,
  numRuns: number,
): Promise<void> {
  const { post, lines } = await runningServer(HANDLERS);
  await fc.assert(
    fc.asyncProperty(arbitrary, fc.constantFrom(...PATHS), (given, path) =>
      expectSound(post, path, bodyOf(given)),
    ),
    { numRuns },
  );
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
}

describe('whatever is sent, the answer is a review or a refusal of the call', () => {
  it('for a review with null in any one place', async () => {
    const { post, lines } = await runningServer(HANDLERS);
    for (const review of REVIEWS) {
      for (const place of placesOf(review)) {
        const body = replaced(review, place, 'null');
        for (const path of PATHS) await expectSound(post, path, body);
      }
    }
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('for a review with something hostile in any one place', async () => {
    const damaged = reviews.chain((review) =>
      fc.tuple(fc.constant(review), fc.constantFrom(...placesOf(review)), hostileText),
    );
    await sendAll(damaged, ([review, place, text]) => replaced(review, place, text), 500);
  });

  it('for the text of a review with a piece of it cut out, doubled or replaced', async () => {
    const spliced = fc
      .tuple(reviews, fc.nat(), fc.nat(40), fc.oneof(fc.string(), hostileText, fc.constant(undefined)))
      .map(([review, from, length, insert]) => {
        const text = JSON.stringify(review);
        const at = from % text.length;
        const cut = text.slice(at, at + length);
        return text.slice(0, at) + (insert ?? cut + cut) + text.slice(at + length);
      });
    await sendAll(spliced, (text) => text, 500);
  });

  it('for bytes of any kind', async () => {
    await sendAll(fc.uint8Array({ maxLength: 4096 }), (bytes) => bytes, 100);
  });

  it('for any JSON', async () => {
    await sendAll(fc.json(), (text) => text, 100);
  });
});

describe('the mutation of clusters', () => {
  const json = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
  const places = [...placesOf(wholeCluster)];
  /** A good cluster with nulls in some places, or one that is good or not. */
  const clusters = fc.oneof(
    fc
      .subarray(places, { minLength: 1, maxLength: 6 })
      .map((chosen) =>
        chosen.reduce<unknown>(
          (value, place) => JSON.parse(replaced(value, place, 'null')) as unknown,
          wholeCluster,
        ),
      )
      .filter((object) => object !== null),
    randomCluster,
  ) as Arbitrary<JsonObject>;

  function errorsOf(decision: Decision): readonly string[] {
    return decision.findings.map(({ rule, path, message }) => `${rule} ${path.toString()} ${message}`);
  }

  it('is done once, and makes nothing worse', async () => {
    let patched = 0;
    await fc.assert(
      fc.asyncProperty(clusters, async (given) => {
        const object = json(given);
        const first = await mutate(aRequest({ object }));
        if (!first.allowed) {
          expect(errorsOf(await validate(aRequest({ object })))).toEqual(errorsOf(first));
          return;
        }
        if (first.patch.length > 0) patched += 1;
        const after = applyJsonPatch(object, first.patch);
        expect(await mutate(aRequest({ object: after }))).toMatchObject({ allowed: true, patch: [] });
        const known = errorsOf(await validate(aRequest({ object })));
        expect(known).toEqual(
          expect.arrayContaining([...errorsOf(await validate(aRequest({ object: after })))]),
        );
      }),
      { numRuns: 1_000 },
    );
    expect(patched).toBeGreaterThan(50);
  });
});
