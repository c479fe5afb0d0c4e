import { isDeepStrictEqual } from 'node:util';
import type { KubeObject, Resource } from '../api/kubernetes.ts';
import { DASKWARDEN_GROUP } from '../api/names.ts';
import type { NamespaceFacts } from '../api/namespace-facts.ts';
import type { KubeClient } from './client.ts';
import { isNotFound } from './errors.ts';
import { Reflector, type ListerWatcher } from './reflector.ts';
import { Store } from './store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';

export interface NamespaceCacheOptions {
  readonly client: ListerWatcher & Pick<KubeClient, 'get'>;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
}

const NAMESPACES: Resource = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
const OWN_ANNOTATIONS = `${DASKWARDEN_GROUP}/`;
/** An admission call has 5 s. */
const LOOK_UP_MS = 2_000;

/** Labels of every namespace, and those of its annotations that are ours. */
export class NamespaceCache {
  /** Resolves when the first list is there. */
  readonly synced: Promise<void>;
  private readonly options: NamespaceCacheOptions;
  private readonly store: Store<KubeObject>;
  private readonly reflector: Reflector<KubeObject>;

  constructor(options: NamespaceCacheOptions) {
    const { client, clock, random, log } = options;
    this.options = options;
    this.store = new Store({ log, project });
    this.reflector = new Reflector({ client, resource: NAMESPACES, store: this.store, log, clock, random });
    this.synced = this.reflector.synced;
  }

  /** Follows the namespaces until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.reflector.run(signal);
  }

  /** Called with the name of each namespace that has changed in what is kept of it, after the first list. */
  onChange(listener: (name: string) => void): void {
    this.store.subscribe((event) => {
      if (event.type === 'update' && !isDeepStrictEqual(factsOf(event.old), factsOf(event.object))) {
        listener(factsOf(event.object).name);
      }
    });
  }

  /** What the cache has seen: undefined also for a namespace of the last moment. */
  get(name: string): NamespaceFacts | undefined {
    const namespace = this.store.get(name);
    return namespace === undefined ? undefined : factsOf(namespace);
  }

  /**
   * What is known, else what the API server says: `kubectl apply` makes namespace and cluster in one breath.
   * @returns undefined where there is no such namespace
   */
  async find(name: string): Promise<NamespaceFacts | undefined> {
    const known = this.get(name);
    if (known !== undefined || name === '') return known;
    try {
      const call = { timeoutMs: LOOK_UP_MS };
      return factsOf(project(await this.options.client.get<KubeObject>(NAMESPACES, { name }, call)));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

/** Others' annotations can be 256 KiB for each namespace. */
function project({ metadata }: KubeObject): KubeObject {
  const { name, uid, resourceVersion, labels = {}, annotations = {} } = metadata;
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      labels,
      annotations: Object.fromEntries(
        Object.entries(annotations).filter(([key]) => key.startsWith(OWN_ANNOTATIONS)),
      ),
    },
  };
}

function factsOf({ metadata }: KubeObject): NamespaceFacts {
  const { name = '', labels = {}, annotations = {} } = metadata;
  return { name, labels, annotations };
}
