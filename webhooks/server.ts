import { lookup } from 'node:dns/promises';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import {
  fastify,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Status } from '../src/api/kubernetes.ts';
import type { Finding } from '../src/core/findings.ts';
import type { Logger } from '../src/platform/logger.ts';
import type { Leaf } from './certificate.ts';
import { logDecision, outcomeOf, type Outcome } from './decision-log.ts';
import type { Decision } from './decision.ts';
import { type AdmissionReviewResponse, encodeResponse } from './response.ts';
import { type AdmissionRequest, BadRequest, parseReview } from './review.ts';

/** Old and new object may have 3 MiB each, etcd's limit with room for the API server's own; as controller-runtime. */
const BODY_LIMIT_BYTES = 7 * 1024 * 1024;
/** kube-apiserver keeps idle connections for 90 s: a shorter time here races its reuse (EOF). */
const KEEP_ALIVE_MS = 120_000;
/** No webhook may be registered with more: a request that takes longer to arrive has no reader. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Left of the API server's time for the way back. */
const ANSWER_RESERVE_MS = 500;
/** No review may take longer than the API server waits, by default 5 s. */
const CLOSE_GRACE_MS = 5_000;

/** Throws, or rejects with, a BadRequest for what it cannot judge. */
export type AdmissionHandler = (request: AdmissionRequest) => Decision | Promise<Decision>;

/** Told of every review that was answered, or failed. */
export type ReviewObserver = (review: {
  readonly path: string;
  readonly outcome: Outcome | 'error';
  readonly seconds: number;
  readonly findings: readonly Finding[];
}) => void;

export interface AdmissionServerOptions {
  /** By path. Every one answers POST alone. */
  readonly handlers: Readonly<Record<string, AdmissionHandler>>;
  readonly log: Logger;
  readonly observe?: ReviewObserver;
  /** How long a request may take to arrive; 30 s by default. */
  readonly requestTimeoutMs?: number;
  /** How long answers under way may take once it is closed; 5 s by default. */
  readonly closeGraceMs?: number;
}

/** A handler failed: a bug of ours. Carries the review's uid, by which log and answer are brought together. */
class ReviewFailed extends Error {
  override readonly name = 'ReviewFailed';
  readonly uid: string;

  constructor(uid: string, cause: unknown) {
    super(`review ${uid} failed`, { cause });
    this.uid = uid;
  }
}

/** No decision in the time that the API server waits. */
class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
}

/**
 * The admission service over HTTPS and HTTP/1.1, which is what kube-apiserver speaks to a Service. A bug of ours is
 * HTTP 500, so that the registered failurePolicy decides; what is not a review is 4xx; both with a Status as body,
 * whose message the API server repeats to the user.
 */
export class AdmissionServer {
  private readonly app: FastifyInstance<Server>;
  private readonly closeGraceMs: number;
  private readonly sockets = new Set<Socket>();
  private draining = false;

  constructor(options: AdmissionServerOptions) {
    const { handlers, log, requestTimeoutMs = REQUEST_TIMEOUT_MS, observe = () => undefined } = options;
    this.app = createApp(requestTimeoutMs);
    this.closeGraceMs = options.closeGraceMs ?? CLOSE_GRACE_MS;
    this.app.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.app.addHook('onRequest', (_request, reply, done) => {
      // A client that is told to close opens its next connection to another replica, and loses no call.
      if (this.draining) void reply.header('connection', 'close');
      done();
    });
    this.app.setErrorHandler<FastifyError | Error>((error, _request, reply) => {
      sendError(error, reply, log);
    });
    this.app.setNotFoundHandler((request, reply) => {
      const paths = Object.keys(handlers).join(', ');
      sendStatus(reply, 404, `${request.method} is not served here: POST to one of ${paths}`);
    });
    for (const [path, handler] of Object.entries(handlers)) {
      this.app.post(path, (request) => answer(request, { path, handler, log, observe }));
    }
  }

  /** Handshakes from now on use it; open connections are left alone. Bad PEM throws and changes nothing. */
  useLeaf(leaf: Pick<Leaf, 'certificatePem' | 'privateKeyPem'>): void {
    this.app.server.setSecureContext({
      cert: leaf.certificatePem,
      key: leaf.privateKeyPem,
      minVersion: 'TLSv1.2',
    });
  }

  /** @returns the port, chosen by the system where it is given as 0 */
  async listen({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
    // For `localhost` fastify makes a second server where there is a second address, and that would have no leaf.
    const { address } = await lookup(host);
    await this.app.listen({ host: address, port });
    const bound = this.app.server.address();
    if (bound === null || typeof bound === 'string') throw new Error('the server has no TCP port');
    return bound.port;
  }

  /** Answers as before, and asks every client to close its connection. */
  startDraining(): void {
    this.draining = true;
  }

  /** Ends after the answers under way, and after the grace time in any case. */
  async close(): Promise<void> {
    const cutOff = setTimeout(() => {
      // Those too that have not finished a handshake: the HTTP server knows nothing of them, and waits for them.
      for (const socket of this.sockets) socket.destroy();
    }, this.closeGraceMs);
    try {
      await this.app.close();
    } finally {
      clearTimeout(cutOff);
    }
  }
}

function createApp(requestTimeoutMs: number): FastifyInstance<Server> {
  const app = fastify({
    https: {
      minVersion: 'TLSv1.2',
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
      handshakeTimeout: HEADERS_TIMEOUT_MS,
      // How often Node looks for requests that are late: by default every 30 s.
      connectionsCheckingInterval: requestTimeoutMs / 10,
    },
    bodyLimit: BODY_LIMIT_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: requestTimeoutMs,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Such a key is a fault of the object, for the rules to name; as a 400 it would be a failed call.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    routerOptions: { ignoreTrailingSlash: true },
  });
  app.removeContentTypeParser('text/plain');
  return app;
}

interface Endpoint {
  readonly path: string;
  readonly handler: AdmissionHandler;
  readonly log: Logger;
  readonly observe: ReviewObserver;
}

async function answer(request: FastifyRequest, endpoint: Endpoint): Promise<AdmissionReviewResponse> {
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  const { path, handler, log, observe } = endpoint;
  let uid = '';
  try {
    const review = parseReview(request.body);
    uid = review.uid;
    const decision = await withinBudget(handler(review), budgetMs(request.query));
    logDecision(log, review, decision);
    observe({ path, outcome: outcomeOf(decision), seconds: seconds(), findings: decision.findings });
    return encodeResponse(review, decision);
  } catch (error) {
    observe({ path, outcome: 'error', seconds: seconds(), findings: [] });
    if (error instanceof BadRequest) throw error;
    throw new ReviewFailed(uid, error);
  }
}

/** The API server says how long it waits (`?timeout=5s`): an answer that comes later has no reader. */
function budgetMs(query: unknown): number {
  const timeout = (query as Record<string, unknown>)['timeout'];
  const seconds = typeof timeout === 'string' ? /^(\d{1,2})s$/.exec(timeout)?.[1] : undefined;
  const limitMs = seconds === undefined ? REQUEST_TIMEOUT_MS : Number(seconds) * 1000;
  return Math.max(limitMs - ANSWER_RESERVE_MS, limitMs / 2);
}

/** What is known at once, nearly everything, costs no timer. */
function withinBudget(decision: Decision | Promise<Decision>, budget: number): Decision | Promise<Decision> {
  if (!(decision instanceof Promise)) return decision;
  const { promise, resolve, reject } = Promise.withResolvers<Decision>();
  const timer = setTimeout(() => {
    reject(new BudgetExceeded(`no decision within ${budget} ms`));
  }, budget);
  decision.then(resolve, reject).finally(() => {
    clearTimeout(timer);
  });
  return promise;
}

function sendError(error: FastifyError | Error, reply: FastifyReply, log: Logger): void {
  if (error instanceof ReviewFailed) {
    log.error({ uid: error.uid, ...traceOf(error.cause) }, 'review failed');
    sendStatus(reply, 500, `internal error of daskwarden; its log names the cause at uid ${error.uid}`);
    return;
  }
  const statusCode = ('statusCode' in error ? error.statusCode : undefined) ?? 500;
  if (statusCode < 500) {
    const message = statusCode === 415 ? 'the content type must be application/json' : error.message;
    log.debug({ statusCode, message }, 'bad request');
    sendStatus(reply, statusCode, message);
  } else {
    log.error(traceOf(error), 'request failed');
    sendStatus(reply, 500, 'internal error of daskwarden');
  }
}

function sendStatus(reply: FastifyReply, code: number, message: string): void {
  const status: Status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message };
  void reply.code(code).send(status);
}

/** Where an error was thrown. Not its message, which may quote the object under review. */
function traceOf(error: unknown): { readonly error: string; readonly frames: readonly string[] } {
  if (!(error instanceof Error)) return { error: typeof error, frames: [] };
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  return { error: error.name, frames: frames.map((line) => line.trim()) };
}
