import type { KubeObject } from '../api/kubernetes.ts';
import type { Clock } from '../platform/clock.ts';
import { objectKey } from './object-key.ts';
import type { ObjectKey } from './object-key.ts';
import { hasReached, isDecimal } from './resource-version.ts';
import type { Store } from './store.ts';

export interface ExpectationsOptions<T extends KubeObject> {
  readonly store: Pick<Store<T>, 'get' | 'resourceVersion'>;
  readonly clock: Clock;
  /** After which the store is believed whatever it shows. */
  readonly maxAgeMs?: number;
  /** The same for a create whose answer did not come: it may never have happened. */
  readonly unansweredMaxAgeMs?: number;
}

interface Expectation<T> {
  readonly kind: 'create' | 'delete';
  /** What the store will show; undefined: nothing. */
  readonly shown: T | undefined;
  /** Delete: of the object. Create: of the object that the store showed under this name before, if any. */
  readonly oldUid: string | undefined;
  /** From here on the store shows the write, or what came after it; undefined where no answer says it. */
  readonly resourceVersion: string | undefined;
  /** Delete: before this one the store could not know the object, so that its absence proves nothing. */
  readonly knownVersion?: string | undefined;
  /** Delete: the object was removed at once. */
  readonly isRemoved?: boolean;
  readonly expiresAt: number;
}

const DEFAULT_MAX_AGE_MS = 5 * 60_000;
const DEFAULT_UNANSWERED_MAX_AGE_MS = 30_000;

/**
 * Our own writes that the store does not show yet. Whoever decides by the store alone would make a pod twice, or
 * delete one that is gone and its namesake with it. Writes are told by scope, such as the UID of the owner.
 */
export class Expectations<T extends KubeObject> {
  readonly #store: ExpectationsOptions<T>['store'];
  readonly #clock: Clock;
  readonly #maxAgeMs: number;
  readonly #unansweredMaxAgeMs: number;
  readonly #scopes = new Map<string, Map<ObjectKey, Expectation<T>>>();
  #sweptAt: number;

  constructor(options: ExpectationsOptions<T>) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#maxAgeMs = options.maxAgeMs ?? DEFAULT_MAX_AGE_MS;
    this.#unansweredMaxAgeMs = options.unansweredMaxAgeMs ?? DEFAULT_UNANSWERED_MAX_AGE_MS;
    this.#sweptAt = options.clock.monotonic();
  }

  /** Before the POST: from now on the object counts as there, as it is posted. */
  creating(scope: string, posted: T): void {
    this.#put(scope, objectKey(posted), {
      kind: 'create',
      shown: posted,
      oldUid: this.#store.get(objectKey(posted))?.metadata.uid,
      resourceVersion: undefined,
      expiresAt: this.#clock.monotonic() + this.#unansweredMaxAgeMs,
    });
  }

  /** The POST was answered with this object. */
  created(scope: string, answer: T): void {
    this.#put(scope, objectKey(answer), {
      kind: 'create',
      shown: answer,
      oldUid: undefined,
      resourceVersion: answer.metadata.resourceVersion,
      expiresAt: this.#clock.monotonic() + this.#maxAgeMs,
    });
  }

  /** The POST was refused, or certainly not sent. */
  notCreated(scope: string, key: ObjectKey): void {
    this.#drop(scope, key);
  }

  /**
   * The DELETE of this object was accepted, or it was gone already.
   * @param answer to the DELETE, if it was an object
   */
  deleted(scope: string, object: T, answer?: T): void {
    // Only with a deletionTimestamp is the answer the state after the deletion, and not the one before it. Of an
    // object that was removed at once the API server then sometimes leaves the resource version out.
    const last = answer?.metadata.deletionTimestamp === undefined ? undefined : answer;
    const isStaying = last !== undefined && stays(last);
    this.#put(scope, objectKey(object), {
      kind: 'delete',
      shown: isStaying ? last : undefined,
      oldUid: object.metadata.uid,
      resourceVersion: last?.metadata.resourceVersion,
      knownVersion: object.metadata.resourceVersion,
      isRemoved: last !== undefined && !isStaying,
      expiresAt: this.#clock.monotonic() + this.#maxAgeMs,
    });
  }

  /** The scope's objects as the store will show them once it has seen our writes; `cached` is what it shows now. */
  overlay(scope: string, cached: readonly T[]): T[] {
    const expected = this.#scopes.get(scope);
    if (expected === undefined) return [...cached];
    const objects = new Map(cached.map((object) => [objectKey(object), object]));
    for (const [key, expectation] of expected) {
      if (this.#isOver(expectation, objects.get(key))) this.#drop(scope, key);
      else if (expectation.shown === undefined) objects.delete(key);
      else objects.set(key, expectation.shown);
    }
    return [...objects.values()];
  }

  /** The scope is gone. */
  forget(scope: string): void {
    this.#scopes.delete(scope);
  }

  #isOver(expectation: Expectation<T>, cached: T | undefined): boolean {
    if (this.#clock.monotonic() >= expectation.expiresAt) return true;
    const { resourceVersion } = this.#store;
    if (isDecimal(resourceVersion) && isDecimal(expectation.resourceVersion)) {
      // A relist that does not show the object proves as much as an event: it came and went.
      return hasReached(resourceVersion, expectation.resourceVersion);
    }
    return expectation.kind === 'create'
      ? showsCreated(expectation, cached)
      : showsDeleted(expectation, cached, resourceVersion);
  }

  #put(scope: string, key: ObjectKey, expectation: Expectation<T>): void {
    this.#sweep();
    const expected = this.#scopes.get(scope) ?? new Map<ObjectKey, Expectation<T>>();
    expected.set(key, expectation);
    this.#scopes.set(scope, expected);
  }

  #drop(scope: string, key: ObjectKey): void {
    const expected = this.#scopes.get(scope);
    expected?.delete(key);
    if (expected?.size === 0) this.#scopes.delete(scope);
  }

  /** Scopes that nobody asks for any more would stay for ever. */
  #sweep(): void {
    const now = this.#clock.monotonic();
    if (now - this.#sweptAt < this.#maxAgeMs) return;
    this.#sweptAt = now;
    for (const [scope, expected] of this.#scopes) {
      for (const [key, { expiresAt }] of expected) if (now >= expiresAt) this.#drop(scope, key);
    }
  }
}

function showsCreated<T extends KubeObject>(expectation: Expectation<T>, cached: T | undefined): boolean {
  if (cached === undefined) return false;
  const uid = expectation.shown?.metadata.uid;
  return uid === undefined ? cached.metadata.uid !== expectation.oldUid : cached.metadata.uid === uid;
}

function showsDeleted<T extends KubeObject>(
  { oldUid, knownVersion, isRemoved }: Expectation<T>,
  cached: T | undefined,
  storeVersion: string | undefined,
): boolean {
  if (cached !== undefined && cached.metadata.uid === oldUid) {
    return isRemoved !== true && cached.metadata.deletionTimestamp !== undefined;
  }
  return !isDecimal(knownVersion) || hasReached(storeVersion, knownVersion);
}

/** A deleted object that waits for its grace period or for somebody's finalizer. */
function stays({ metadata }: KubeObject): boolean {
  return (metadata.deletionGracePeriodSeconds ?? 0) > 0 || (metadata.finalizers ?? []).length > 0;
}
