import type { KubeObject } from '../api/kubernetes.ts';
import type { Logger } from '../platform/logger.ts';
import { deepFreeze, stripBookkeeping } from './intake.ts';
import { controllerUid, objectKey } from './object-key.ts';
import type { ObjectKey } from './object-key.ts';
import { StoreIndex } from './store-index.ts';

export type StoreEvent<T> =
  | { readonly type: 'add'; readonly object: T; readonly old?: never }
  | { readonly type: 'update'; readonly object: T; readonly old: T }
  /** `object` is the last state that was seen. */
  | { readonly type: 'delete'; readonly object: T; readonly old: T };

export type StoreSubscriber<T> = (event: StoreEvent<T>) => void;

export interface StoreOptions<T extends KubeObject, Raw extends KubeObject = T> {
  readonly log: Logger;
  /**
   * What is kept of an object; all of it when absent. Must keep the metadata's name, namespace, uid,
   * resourceVersion and, for `byOwner`, ownerReferences.
   */
  readonly project?: (object: Raw) => T;
  /** By name: the values under which `byIndex` finds an object. */
  readonly indexes?: Readonly<Record<string, (object: T) => readonly string[]>>;
}

/**
 * What a reflector saw last of each object of a resource. Objects are frozen: they are shared by all readers, and
 * one that was read stays as it was. An object that was deleted and made anew under its name is told as delete and
 * add, never as an update, even if nobody saw it gone.
 */
export class Store<T extends KubeObject, Raw extends KubeObject = T> {
  readonly #log: Logger;
  readonly #project: ((object: Raw) => T) | undefined;
  readonly #objects = new Map<ObjectKey, T>();
  readonly #owners = new StoreIndex<T>((object) => {
    const uid = controllerUid(object);
    return uid === undefined ? [] : [uid];
  });
  readonly #indexes: ReadonlyMap<string, StoreIndex<T>>;
  readonly #subscribers = new Set<StoreSubscriber<T>>();
  #resourceVersion: string | undefined;

  constructor(options: StoreOptions<T, Raw>) {
    this.#log = options.log;
    this.#project = options.project;
    this.#indexes = new Map(
      Object.entries(options.indexes ?? {}).map(([name, valuesOf]) => [name, new StoreIndex(valuesOf)]),
    );
  }

  get size(): number {
    return this.#objects.size;
  }

  /** The state of the cluster that the store shows; undefined before the first list. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(key);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  /** The objects whose controller reference has this UID. */
  byOwner(uid: string): T[] {
    return this.#pick(this.#owners.keys(uid));
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (index === undefined) {
      throw new RangeError(
        `index '${name}' is not there; the store has: ${[...this.#indexes.keys()].join(', ')}`,
      );
    }
    return this.#pick(index.keys(value));
  }

  /** Called after each change, when the store shows it already; answers how to end it. */
  subscribe(subscriber: StoreSubscriber<T>): () => void {
    this.#subscribers.add(subscriber);
    return () => {
      this.#subscribers.delete(subscriber);
    };
  }

  /** The object as it will be kept: done one by one as they arrive, so that no full list is ever in memory. */
  prepare(raw: Raw): T {
    const stripped = stripBookkeeping(raw);
    // Without a projection Raw is T.
    return deepFreeze(this.#project === undefined ? (stripped as unknown as T) : this.#project(stripped));
  }

  /** Makes the store show exactly these prepared objects, and tells the differences. */
  replace(objects: readonly T[], resourceVersion: string): void {
    const events: StoreEvent<T>[] = [];
    const gone = new Set(this.#objects.keys());
    for (const object of objects) {
      gone.delete(objectKey(object));
      events.push(...this.#put(object));
    }
    for (const key of gone) events.push(...this.#take(key));
    this.#resourceVersion = resourceVersion;
    for (const event of events) this.#tell(event);
  }

  /** A prepared object that was added or modified. */
  upsert(object: T): void {
    const events = this.#put(object);
    this.#resourceVersion = object.metadata.resourceVersion;
    for (const event of events) this.#tell(event);
  }

  /** A prepared object in its last state. */
  remove(object: T): void {
    const events = this.#take(objectKey(object), object);
    this.#resourceVersion = object.metadata.resourceVersion;
    for (const event of events) this.#tell(event);
  }

  /** Nothing changed up to this resource version. */
  advance(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  #put(object: T): StoreEvent<T>[] {
    const key = objectKey(object);
    const old = this.#objects.get(key);
    if (old !== undefined && sameIdentity(old, object)) {
      if (old.metadata.resourceVersion === object.metadata.resourceVersion) return [];
      this.#index('remove', key, old);
      this.#objects.set(key, object);
      this.#index('add', key, object);
      return [{ type: 'update', object, old }];
    }
    const events = this.#take(key);
    this.#objects.set(key, object);
    this.#index('add', key, object);
    return [...events, { type: 'add', object }];
  }

  #take(key: ObjectKey, last?: T): StoreEvent<T>[] {
    const old = this.#objects.get(key);
    if (old === undefined) return [];
    this.#objects.delete(key);
    this.#index('remove', key, old);
    return [{ type: 'delete', object: last ?? old, old }];
  }

  #index(change: 'add' | 'remove', key: ObjectKey, object: T): void {
    this.#owners[change](key, object);
    for (const index of this.#indexes.values()) index[change](key, object);
  }

  #pick(keys: Iterable<ObjectKey>): T[] {
    const found: T[] = [];
    for (const key of keys) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  /** One subscriber's fault neither stops the watch nor keeps the others from the event. */
  #tell(event: StoreEvent<T>): void {
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(event);
      } catch (error) {
        this.#log.error(
          { err: error, key: objectKey(event.object), type: event.type },
          'a subscriber of a store failed',
        );
      }
    }
  }
}

function sameIdentity(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.uid === b.metadata.uid;
}
