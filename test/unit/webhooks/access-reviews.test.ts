import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Resource } from '../../../src/api/kubernetes.ts';
import type { AccessQuestion, Requester } from '../../../src/core/identity/requester.ts';
import type { WriteOptions } from '../../../src/kube/client.ts';
import { ApiError } from '../../../src/kube/errors.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { AccessReviewFailed, AccessReviews } from '../../../webhooks/access-reviews.ts';

const ADA: Requester = { username: 'ada', uid: 'u1', groups: ['data'], extra: { scopes: ['secret-scope'] } };
const QUESTION: AccessQuestion = {
  verb: 'connect',
  group: 'gateway.dask.org',
  resource: 'daskclusters',
  namespace: 'team-a',
  name: 'demo',
};

/** Answers what the test says; `hold` keeps every answer back. */
class FakeApi {
  readonly posted: object[] = [];
  readonly resources: Resource[] = [];
  answer: unknown = { status: { allowed: true } };
  hold: Promise<unknown> = Promise.resolve();

  async create<T extends object, Answer = T>(
    resource: Resource,
    at: object,
    object: T,
    { signal }: WriteOptions = {},
  ): Promise<Answer> {
    expect(at).toEqual({});
    this.resources.push(resource);
    this.posted.push(object);
    const aborted = new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
    const { answer } = this;
    await Promise.race([this.hold, aborted]);
    if (answer instanceof Error) throw answer;
    return answer as Answer;
  }
}

let api: FakeApi;
let reviews: AccessReviews;

beforeEach(() => {
  vi.useFakeTimers();
  // As after every start of a process; at 0 the cache would take a time for none.
  vi.advanceTimersByTime(1);
  api = new FakeApi();
  reviews = new AccessReviews({ client: api, clock: systemClock, maxAnswers: 3 });
});
afterEach(() => {
  vi.useRealTimers();
});

const passes = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** Of a promise that is to reject: awaited only after the time has passed. */
function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('AccessReviews', () => {
  it('asks for all that the requester is', async () => {
    expect(await reviews.check(ADA, QUESTION)).toBe(true);
    expect(api.resources).toMatchObject([
      { group: 'authorization.k8s.io', version: 'v1', plural: 'subjectaccessreviews', namespaced: false },
    ]);
    expect(api.posted).toEqual([
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: 'ada',
          uid: 'u1',
          groups: ['data'],
          extra: { scopes: ['secret-scope'] },
          resourceAttributes: QUESTION,
        },
      },
    ]);
  });

  it('believes a yes for 10 s and a no for 5 s', async () => {
    await reviews.check(ADA, QUESTION);
    api.answer = { status: { allowed: false, evaluationError: 'a role is missing' } };
    await passes(9_900);
    expect(await reviews.check(ADA, QUESTION)).toBe(true);
    await passes(200);
    expect(await reviews.check(ADA, QUESTION)).toBe(false);
    api.answer = { status: { allowed: true } };
    await passes(4_900);
    expect(await reviews.check(ADA, QUESTION)).toBe(false);
    await passes(200);
    expect(await reviews.check(ADA, QUESTION)).toBe(true);
    expect(api.posted).toHaveLength(3);
  });

  it.each<[string, Requester, AccessQuestion]>([
    ['user', { ...ADA, username: 'bob' }, QUESTION],
    ['uid', { ...ADA, uid: 'u2' }, QUESTION],
    ['group', { ...ADA, groups: [] }, QUESTION],
    ['extra', { ...ADA, extra: { scopes: [] } }, QUESTION],
    ['verb', ADA, { ...QUESTION, verb: 'use' }],
    ['group of resources', ADA, { ...QUESTION, group: '' }],
    ['resource', ADA, { ...QUESTION, resource: 'pods' }],
    ['namespace', ADA, { ...QUESTION, namespace: 'team-b' }],
    ['name', ADA, { ...QUESTION, name: 'other' }],
  ])('takes no answer for another %s', async (_, who, question) => {
    await reviews.check(ADA, QUESTION);
    api.answer = { status: { allowed: false } };
    expect(await reviews.check(who, question)).toBe(false);
  });

  it('shares one call between equal questions of the same moment', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => reviews.check(ADA, QUESTION)));
    expect(answers).toEqual([true, true, true]);
    expect(api.posted).toHaveLength(1);
  });

  it('forgets the oldest answer where there are too many', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await reviews.check(ADA, { ...QUESTION, name });
    await reviews.check(ADA, { ...QUESTION, name: 'd' });
    expect(api.posted).toHaveLength(4);
    await reviews.check(ADA, { ...QUESTION, name: 'a' });
    expect(api.posted).toHaveLength(5);
  });

  it('does not remember a failure', async () => {
    api.answer = new ApiError({ method: 'POST', path: '/x' }, 500, { message: 'etcd is away' });
    const error = await failureOf(reviews.check(ADA, QUESTION));
    expect(error).toBeInstanceOf(AccessReviewFailed);
    expect(error).toMatchObject({ question: QUESTION, cause: api.answer });
    expect(String(error)).toBe(
      "AccessReviewFailed: no answer to a SubjectAccessReview (connect daskclusters.gateway.dask.org 'demo' in namespace 'team-a'): POST /x: 500 etcd is away",
    );
    expect(JSON.stringify(error)).not.toContain('secret-scope');
    api.answer = { status: { allowed: true } };
    expect(await reviews.check(ADA, QUESTION)).toBe(true);
  });

  it.each([undefined, {}, { status: {} }, { status: { allowed: 'true' } }])(
    'takes %j for no answer',
    async (answer) => {
      api.answer = answer;
      expect(await failureOf(reviews.check(ADA, QUESTION))).toBeInstanceOf(AccessReviewFailed);
    },
  );

  it('gives up after 2 s', async () => {
    api.hold = new Promise(() => undefined);
    const failure = failureOf(reviews.check(ADA, QUESTION));
    await passes(1_999);
    expect(await Promise.race([failure, Promise.resolve('waiting')])).toBe('waiting');
    await passes(1);
    expect(String(await failure)).toContain('no answer within 2000 ms');
  });

  it('has at most 8 calls of one user under way, and gives up those that wait too', async () => {
    api.hold = new Promise(() => undefined);
    const many = Array.from({ length: 20 }, (_, index) =>
      failureOf(reviews.check(ADA, { ...QUESTION, name: `c${index}` })),
    );
    await passes(0);
    expect(api.posted).toHaveLength(8);
    const other = failureOf(reviews.check({ ...ADA, username: 'bob' }, QUESTION));
    await passes(0);
    expect(api.posted).toHaveLength(9);
    await passes(2_000);
    const errors = await Promise.all([...many, other]);
    expect(errors.every((error) => error instanceof AccessReviewFailed)).toBe(true);
  });
});
