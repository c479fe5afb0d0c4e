import { buildConnector, Pool } from 'undici';
import type { Dispatcher } from 'undici';
import type { ClusterAccess, Credentials } from './config.ts';
import { TransportError } from './errors.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Starts with `?`, or is empty. */
  readonly query: string;
  readonly body?: { readonly contentType: string; readonly text: string } | undefined;
}

export interface HttpResponse<Body> {
  readonly code: number;
  readonly retryAfterMs: number | undefined;
  readonly body: Body;
}

export interface TransportOptions {
  readonly userAgent: string;
  /** The most connections for requests; watches have their own. */
  readonly connections: number;
}

/** Below the 60 s after which common load balancers, and the 90 s after which API servers, drop an idle connection. */
const KEEP_ALIVE_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** A watch is answered at once; a list may take its deadline. */
const WATCH_HEADERS_TIMEOUT_MS = 30_000;
/** An unpaged list of 10,000 big pods is 100 MB. The API server of an external cluster is not to be trusted with more. */
const LARGEST_RESPONSE = 256 * 1024 * 1024;

/** Marks what failed before a byte of a request was sent. */
class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

/**
 * HTTP/1.1 over pooled TLS connections, with the credentials of the moment. Every failure but an HTTP answer is a
 * TransportError. HTTP/2 is left out on purpose: all calls would share one connection, and stall with it.
 */
export class Transport {
  readonly #access: ClusterAccess;
  readonly #prefix: string;
  readonly #userAgent: string;
  readonly #requests: Pool;
  readonly #watches: Pool;
  readonly #closing = new AbortController();

  constructor(access: ClusterAccess, options: TransportOptions) {
    const url = new URL(access.server);
    this.#access = access;
    this.#prefix = url.pathname.replace(/\/+$/, '');
    this.#userAgent = options.userAgent;
    const common = {
      connect: connector(access, this.#closing.signal),
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
    };
    this.#requests = new Pool(url.origin, {
      ...common,
      connections: options.connections,
      maxResponseSize: LARGEST_RESPONSE,
      // Every request has a deadline of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#watches = new Pool(url.origin, {
      ...common,
      headersTimeout: WATCH_HEADERS_TIMEOUT_MS,
      bodyTimeout: 0,
    });
  }

  async exchange(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse<string>> {
    try {
      const response = await this.#send(this.#requests, request, signal);
      return head(response, await response.body.text());
    } catch (error) {
      throw failure(request, error);
    }
  }

  /** The body is to be iterated or destroyed, or its connection stays taken. */
  async open(
    request: HttpRequest,
    signal: AbortSignal,
  ): Promise<HttpResponse<Dispatcher.ResponseData['body']>> {
    try {
      const response = await this.#send(this.#watches, request, signal);
      return head(response, response.body);
    } catch (error) {
      throw failure(request, error);
    }
  }

  /** Ends every connection, those in use too. */
  async close(): Promise<void> {
    const destroyed = Promise.all([this.#requests.destroy(), this.#watches.destroy()]);
    // A pool leaves a connection attempt alone, which would hold the process until it times out.
    this.#closing.abort(new Error('the client is closed'));
    await destroyed;
  }

  async #send(pool: Pool, request: HttpRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const credentials = await this.#access.credentials().catch((error: unknown) => {
      throw new NotConnected('no credentials', { cause: error });
    });
    signal.throwIfAborted();
    return pool.request({
      method: request.method,
      path: this.#prefix + request.path + request.query,
      headers: this.#headers(request, credentials),
      body: request.body?.text ?? null,
      signal,
    });
  }

  #headers(request: HttpRequest, credentials: Credentials): Record<string, string> {
    return {
      accept: 'application/json',
      'user-agent': this.#userAgent,
      ...(request.body === undefined ? {} : { 'content-type': request.body.contentType }),
      ...(credentials.token === undefined ? {} : { authorization: `Bearer ${credentials.token}` }),
      ...(credentials.impersonateUser === undefined
        ? {}
        : { 'impersonate-user': credentials.impersonateUser }),
    };
  }
}

function head<Body>(response: Dispatcher.ResponseData, body: Body): HttpResponse<Body> {
  const retryAfter = response.headers['retry-after'];
  const seconds = typeof retryAfter === 'string' && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
  return {
    code: response.statusCode,
    retryAfterMs: seconds === undefined ? undefined : seconds * 1000,
    body,
  };
}

export function failure(request: HttpRequest, error: unknown): TransportError {
  return error instanceof NotConnected
    ? new TransportError(request, 'not-sent', error.cause)
    : new TransportError(request, 'unknown', error);
}

/** Connects with the certificates of the moment: new ones count from the next connection on. */
function connector(access: ClusterAccess, closing: AbortSignal): buildConnector.connector {
  let current: { readonly credentials: Credentials; readonly connect: buildConnector.connector } | undefined;
  const connect = async (...[options, callback]: Parameters<buildConnector.connector>): Promise<void> => {
    const credentials = await access.credentials();
    closing.throwIfAborted();
    if (current === undefined || !sameCertificates(current.credentials, credentials)) {
      current = {
        credentials,
        connect: buildConnector({ ...tlsOptions(access, credentials), signal: closing }),
      };
    }
    current.connect(options, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else callback(new NotConnected('no connection', { cause: error }), null);
    });
  };
  return (options, callback) => {
    // Beside missing credentials, an unreadable PEM ends up here: Node throws it while it connects.
    connect(options, callback).catch((error: unknown) => {
      callback(new NotConnected('no connection', { cause: error }), null);
    });
  };
}

function tlsOptions(access: ClusterAccess, credentials: Credentials): buildConnector.BuildOptions {
  const { caPem, clientCertificate } = credentials;
  return {
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    rejectUnauthorized: access.insecureSkipTlsVerify !== true,
    ...(access.tlsServerName === undefined ? {} : { servername: access.tlsServerName }),
    ...(caPem === undefined ? {} : { ca: caPem }),
    ...(clientCertificate === undefined
      ? {}
      : { cert: clientCertificate.certPem, key: clientCertificate.keyPem }),
  };
}

function sameCertificates(a: Credentials, b: Credentials): boolean {
  return (
    a === b ||
    (a.caPem === b.caPem &&
      a.clientCertificate?.certPem === b.clientCertificate?.certPem &&
      a.clientCertificate?.keyPem === b.clientCertificate?.keyPem)
  );
}
