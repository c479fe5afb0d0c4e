import type { KubeObject, Resource } from '../api/kubernetes.ts';
import type { CallOptions, ListPage, ListQuery } from './client.ts';
import { isGone } from './errors.ts';

export interface Lister {
  list<T extends KubeObject>(resource: Resource, query: ListQuery, call: CallOptions): Promise<ListPage<T>>;
}

export interface ListAllOptions<Raw, T> {
  readonly pageSize?: number;
  /** Applied to each object as its page arrives. */
  readonly prepare: (object: Raw) => T;
  readonly signal: AbortSignal;
}

const DEFAULT_PAGE_SIZE = 500;
/** For one answer with everything in it. */
const UNPAGED_TIMEOUT_MS = 120_000;

/** A consistent list, page by page; in one piece if it expires under way (etcd keeps five minutes of history). */
export async function listAll<Raw extends KubeObject, T>(
  client: Lister,
  resource: Resource,
  query: Omit<ListQuery, 'limit' | 'continue'>,
  options: ListAllOptions<Raw, T>,
): Promise<{ readonly items: readonly T[]; readonly resourceVersion: string }> {
  const { prepare, signal } = options;
  const limit = options.pageSize ?? DEFAULT_PAGE_SIZE;
  const items: T[] = [];
  let token: string | undefined;
  do {
    let page: ListPage<Raw>;
    try {
      page = await client.list<Raw>(resource, { ...query, limit, continue: token }, { signal });
    } catch (error) {
      if (token === undefined || !isGone(error)) throw error;
      const whole = await client.list<Raw>(resource, query, { signal, timeoutMs: UNPAGED_TIMEOUT_MS });
      return { items: whole.items.map(prepare), resourceVersion: whole.resourceVersion };
    }
    for (const object of page.items) items.push(prepare(object));
    token = page.continue;
    if (token === undefined) return { items, resourceVersion: page.resourceVersion };
  } while (!signal.aborted);
  throw signal.reason;
}
