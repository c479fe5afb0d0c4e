import type { KubeObject, Resource, Status } from '../api/kubernetes.ts';
import type { Clock } from '../platform/clock.ts';
import { systemClock } from '../platform/clock.ts';
import type { ClusterAccess } from './config.ts';
import { Deadline } from './deadline.ts';
import { ApiError, TransportError } from './errors.ts';
import { encodePatch } from './patch.ts';
import type { Patch } from './patch.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { queryString, resourcePath } from './resource-path.ts';
import type { CollectionAddress, ObjectAddress, QueryValue } from './resource-path.ts';
import { retryDelayMs } from './retry.ts';
import { failure, Transport } from './transport.ts';
import type { HttpRequest, HttpResponse } from './transport.ts';
import { watchLines } from './watch-stream.ts';
import type { WatchEvent } from './watch-stream.ts';

export interface KubeClientOptions {
  readonly access: ClusterAccess;
  /** Of this program: the User-Agent is `daskwarden/<version>`. */
  readonly version: string;
  /** Every request takes a token, a watch too; absent: no limit. */
  readonly limiter?: RateLimiter;
  readonly connections?: number;
  /** For a whole call with its retries, counted from when the limiter let it pass. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  /** From 0 to 1. */
  readonly random?: () => number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  readonly fieldManager?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface ListQuery {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** The most objects in the answer. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
}

/** One page, or all of a list. */
export interface ListPage<T extends KubeObject> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** Asks for the next page; absent on the last one. */
  readonly continue: string | undefined;
}

export interface WatchQuery extends Pick<ListQuery, 'namespace' | 'labelSelector' | 'fieldSelector'> {
  /** Events after this one. */
  readonly resourceVersion: string;
  /** After which the server ends the watch. */
  readonly timeoutSeconds: number;
}

export interface DeleteOptions extends WriteOptions {
  /** Deletes nothing but the object with this UID. */
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
}

interface RawList<T> {
  readonly apiVersion?: string;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[] | null;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_CONNECTIONS = 64;
/** What a watch may outlive the time it asked for. */
const WATCH_SLACK_MS = 30_000;

/**
 * The verbs of the Kubernetes API on plain JSON: nothing is converted, no field is lost, times are strings. Every
 * method throws an ApiError for a refusal, a TransportError when no whole answer came, or the reason of the caller's
 * signal. A lease needs a client of its own, so that neither limiter nor pool holds its renewal back.
 */
export class KubeClient {
  readonly #transport: Transport;
  readonly #limiter: RateLimiter | undefined;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #random: () => number;

  constructor(options: KubeClientOptions) {
    this.#transport = new Transport(options.access, {
      userAgent: `daskwarden/${options.version}`,
      connections: options.connections ?? DEFAULT_CONNECTIONS,
    });
    this.#limiter = options.limiter;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
  }

  async get<T extends KubeObject>(resource: Resource, at: ObjectAddress, call: CallOptions = {}): Promise<T> {
    return this.#json<T>({ method: 'GET', path: resourcePath(resource, at), query: '' }, call);
  }

  /** One page of a consistent list; without `limit` the whole of it. Items carry apiVersion and kind. */
  async list<T extends KubeObject>(
    resource: Resource,
    query: ListQuery = {},
    call: CallOptions = {},
  ): Promise<ListPage<T>> {
    const { namespace, ...parameters } = query;
    const path = resourcePath(resource, { namespace });
    const list = await this.#json<RawList<T>>({ method: 'GET', path, query: queryString(parameters) }, call);
    const type = { apiVersion: apiVersion(resource), kind: resource.kind };
    return {
      // Unlike events, the items of a list do not say what they are.
      items: (list.items ?? []).map((item) => ({ ...type, ...item })),
      resourceVersion: list.metadata?.resourceVersion ?? '',
      continue: list.metadata?.continue === '' ? undefined : list.metadata?.continue,
    };
  }

  /** With `at.name` and `at.subresource` it posts to a subresource. Answers what the server made of the object. */
  async create<T extends object, Answer = T>(
    resource: Resource,
    at: CollectionAddress,
    object: T,
    options: WriteOptions = {},
  ): Promise<Answer> {
    if (resource.namespaced && at.namespace === undefined) {
      throw new RangeError(`${resource.kind}: namespace: must be given, ${resource.plural} are namespaced`);
    }
    const body = { contentType: 'application/json', text: JSON.stringify(object) };
    return this.#json<Answer>(
      { method: 'POST', path: resourcePath(resource, at), query: writeQuery(options), body },
      options,
    );
  }

  async patch<T extends KubeObject>(
    resource: Resource,
    at: ObjectAddress,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const force = patch.type === 'apply' ? patch.force : undefined;
    return this.#json<T>(
      {
        method: 'PATCH',
        path: resourcePath(resource, at),
        query: writeQuery(options, { force }),
        body: encodePatch(patch),
      },
      options,
    );
  }

  /** Answers the object where it stays for a while (grace period, finalizers), else what the server says. */
  async delete(
    resource: Resource,
    at: ObjectAddress,
    options: DeleteOptions = {},
  ): Promise<KubeObject | Status> {
    const { uid, resourceVersion, gracePeriodSeconds, propagationPolicy, ...call } = options;
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds,
      propagationPolicy,
      preconditions:
        uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion },
    };
    return this.#json(
      {
        method: 'DELETE',
        path: resourcePath(resource, at),
        query: writeQuery(call),
        body: { contentType: 'application/json', text: JSON.stringify(body) },
      },
      call,
    );
  }

  /** Events until the server ends the watch; bookmarks are asked for. Never retries: that is the reflector's task. */
  async *watch<T extends KubeObject>(
    resource: Resource,
    query: WatchQuery,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const { namespace, ...parameters } = query;
    const request: HttpRequest = {
      method: 'GET',
      path: resourcePath(resource, { namespace }),
      query: queryString({ ...parameters, watch: true, allowWatchBookmarks: true }),
    };
    await this.#limiter?.acquire(signal);
    using deadline = new Deadline(signal, query.timeoutSeconds * 1000 + WATCH_SLACK_MS, this.#clock);
    try {
      const response = await this.#transport.open(request, deadline.signal);
      if (response.code !== 200) throw refusal(request, { ...response, body: await response.body.text() });
      for await (const event of watchLines<T>(response.body)) {
        if (event.type === 'ERROR') throw new ApiError(request, event.object.code ?? 500, event.object);
        yield event;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof ApiError || error instanceof TransportError ? error : failure(request, error);
    }
  }

  /** For paths that are no resource (`/readyz`, `/version`, `/openapi/v3`): answers the body as it came. */
  async request(
    method: HttpRequest['method'],
    path: string,
    call: CallOptions & { readonly query?: Readonly<Record<string, QueryValue>> } = {},
  ): Promise<string> {
    return this.#send({ method, path, query: queryString(call.query ?? {}) }, call);
  }

  /** Ends every request and every watch. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #json<T>(request: HttpRequest, call: CallOptions): Promise<T> {
    const text = await this.#send(request, call);
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new TransportError(request, 'unknown', new Error('the answer is not JSON'));
    }
  }

  async #send(request: HttpRequest, call: CallOptions): Promise<string> {
    await this.#limiter?.acquire(call.signal);
    using deadline = new Deadline(call.signal, call.timeoutMs ?? this.#timeoutMs, this.#clock);
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.#transport.exchange(request, deadline.signal);
        if (response.code >= 300) throw refusal(request, response);
        return response.body;
      } catch (error) {
        call.signal?.throwIfAborted();
        const delayMs = retryDelayMs(request.method, error, attempt, this.#random());
        if (delayMs === undefined || this.#clock.monotonic() + delayMs >= deadline.at) throw error;
        await this.#clock.sleep(delayMs, call.signal);
      }
    }
  }
}

function apiVersion(resource: Resource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

function writeQuery(options: WriteOptions, more: Readonly<Record<string, QueryValue>> = {}): string {
  return queryString({
    fieldManager: options.fieldManager,
    dryRun: options.dryRun === true ? 'All' : undefined,
    ...more,
  });
}

/** The body is shown only where it is a Status: whatever else answers could put anything there. */
function refusal(request: HttpRequest, response: HttpResponse<string>): ApiError {
  let status: Partial<Status> = {};
  try {
    const parsed = JSON.parse(response.body) as Partial<Status> | null;
    if (parsed?.kind === 'Status') status = parsed;
  } catch {
    status = { message: 'the answer is no Status' };
  }
  return new ApiError(request, response.code, status, response.retryAfterMs);
}
