import type { KubeObject } from '../api/kubernetes.ts';
import type { Clock } from '../platform/clock.ts';
import { objectKey } from './object-key.ts';
import type { ObjectKey } from './object-key.ts';
import { hasReached } from './resource-version.ts';
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
  /** The store shows the write, or what came after it, from here on; undefined before the answer. */
  readonly resourceVersion: string | undefined;
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
   * @param terminating the answer, if the object stays for a while
   */
  deleted(scope: string, object: T, terminating?: T): void {
    // What is removed at once may be answered as it was before, with a resource version that proves nothing.
    const shown = terminating?.metadata.deletionTimestamp === undefined ? undefined : terminating;
    this.#put(scope, objectKey(object), {
      kind: 'delete',
      shown,
      oldUid: object.metadata.uid,
      resourceVersion: shown?.metadata.resourceVersion,
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
    // A relist that does not show the object proves as much as an event: it came and went.
    if (hasReached(this.#store.resourceVersion, expectation.resourceVersion)) return true;
    if (expectation.kind === 'create') {
      const uid = expectation.shown?.metadata.uid;
      return (
        cached !== undefined &&
        (uid === undefined ? cached.metadata.uid !== expectation.oldUid : cached.metadata.uid === uid)
      );
    }
    return (
      cached === undefined ||
      cached.metadata.uid !== expectation.oldUid ||
      cached.metadata.deletionTimestamp !== undefined
    );
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
