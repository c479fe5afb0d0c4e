import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Resource } from '../src/api/kubernetes.ts';
import type { AccessQuestion, Requester } from '../src/core/identity/requester.ts';
import { isObject } from '../src/core/structure/json.ts';
import type { KubeClient } from '../src/kube/client.ts';
import { Deadline } from '../src/kube/deadline.ts';
import type { Clock } from '../src/platform/clock.ts';
import type { AccessCheck } from './admission-context.ts';
import { Turnstile } from './turnstile.ts';

export interface AccessReviewsOptions {
  readonly client: Pick<KubeClient, 'create'>;
  readonly clock: Clock;
  /** Answers that are remembered; 10,000 by default, about 2 MB. */
  readonly maxAnswers?: number;
}

/** The API server did not say whether somebody may do something. Holds nothing of who asked. */
export class AccessReviewFailed extends Error {
  override readonly name = 'AccessReviewFailed';
  readonly question: AccessQuestion;

  constructor(question: AccessQuestion, cause: unknown) {
    super(`no answer to a SubjectAccessReview (${describe(question)}): ${reasonOf(cause)}`, { cause });
    this.question = question;
  }
}

const SUBJECT_ACCESS_REVIEWS: Resource = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  namespaced: false,
};

const MAX_ANSWERS = 10_000;
/** As long as a right that was taken away may still count. */
const ALLOWED_MS = 10_000;
/** Shorter: whoever was just given a right tries again at once. */
const DENIED_MS = 5_000;
/** Within the 5 s of an admission call, with time left for the rest of it. */
const TIMEOUT_MS = 2_000;
const CALLS = { places: 32, placesEach: 8 };

/**
 * Asks the API server what somebody may do. Answers are remembered for seconds, equal questions that are asked at the
 * same time share one call, and nobody has more than a part of the calls that are under way.
 */
export class AccessReviews {
  private readonly options: AccessReviewsOptions;
  private readonly answers: LRUCache<string, boolean>;
  private readonly underWay = new Map<string, Promise<boolean>>();
  private readonly turnstile = new Turnstile(CALLS);

  constructor(options: AccessReviewsOptions) {
    const { clock, maxAnswers = MAX_ANSWERS } = options;
    this.options = options;
    this.answers = new LRUCache({
      max: maxAnswers,
      perf: { now: () => clock.monotonic() },
      // Otherwise it would read the time only once in a while, by a timer of its own.
      ttlResolution: 0,
    });
  }

  /** @throws {AccessReviewFailed} where the API server does not say within 2 s; that is not remembered */
  readonly check: AccessCheck = (who, question) => {
    const key = keyOf(who, question);
    const answer = this.answers.get(key);
    if (answer !== undefined) return Promise.resolve(answer);
    const shared = this.underWay.get(key);
    if (shared !== undefined) return shared;
    const asked = this.ask(who, question, key).finally(() => this.underWay.delete(key));
    this.underWay.set(key, asked);
    return asked;
  };

  private async ask(who: Requester, question: AccessQuestion, key: string): Promise<boolean> {
    using deadline = new Deadline(undefined, TIMEOUT_MS, this.options.clock);
    const { signal } = deadline;
    try {
      const review = await this.turnstile.pass(
        who.username,
        () =>
          this.options.client.create<object, unknown>(SUBJECT_ACCESS_REVIEWS, {}, body(who, question), {
            signal,
          }),
        signal,
      );
      const allowed = allowedOf(review);
      this.answers.set(key, allowed, { ttl: allowed ? ALLOWED_MS : DENIED_MS });
      return allowed;
    } catch (error) {
      throw new AccessReviewFailed(question, error);
    }
  }
}

function body(who: Requester, { verb, group, resource, namespace, name }: AccessQuestion): object {
  return {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: who.username,
      uid: who.uid,
      groups: who.groups,
      extra: who.extra,
      resourceAttributes: { verb, group, resource, namespace, name },
    },
  };
}

function allowedOf(review: unknown): boolean {
  const status = isObject(review) ? review['status'] : undefined;
  const allowed = isObject(status) ? status['allowed'] : undefined;
  if (typeof allowed !== 'boolean') throw new TypeError('the answer has no status.allowed');
  return allowed;
}

/** A digest: the groups of one user may be kilobytes, and what stands in `extra` is no business of a memory dump. */
function keyOf({ username, uid, groups, extra }: Requester, question: AccessQuestion): string {
  const { verb, group, resource, namespace, name } = question;
  const extras = Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = [username, uid, groups, extras, verb, group, resource, namespace, name];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

function describe({ verb, group, resource, namespace, name }: AccessQuestion): string {
  const what = [
    verb,
    group === '' ? resource : `${resource}.${group}`,
    ...(name === '' ? [] : [`'${name}'`]),
  ];
  return namespace === '' ? what.join(' ') : `${what.join(' ')} in namespace '${namespace}'`;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
