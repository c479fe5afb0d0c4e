import { lookup } from 'node:dns/promises';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { fastify, type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import type { Status } from '../src/api/kubernetes.ts';
import type { Logger } from '../src/platform/logger.ts';
import type { Leaf } from './certificate.ts';
import { logDecision } from './decision-log.ts';
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
/** A review that has arrived is answered within milliseconds; what has not arrived by then never will. */
const CLOSE_GRACE_MS = 2_000;

/** Synchronous: while it works, the process does nothing else. Throws a BadRequest for what it cannot judge. */
export type AdmissionHandler = (request: AdmissionRequest) => Decision;

export interface AdmissionServerOptions {
  /** By path. Every one answers POST alone. */
  readonly handlers: Readonly<Record<string, AdmissionHandler>>;
  readonly log: Logger;
  /** How long a request may take to arrive; 30 s by default. */
  readonly requestTimeoutMs?: number;
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

/**
 * The admission service over HTTPS and HTTP/1.1, which is what kube-apiserver speaks to a Service. A bug of ours is
 * HTTP 500, so that the registered failurePolicy decides; what is not a review is 4xx; both with a Status as body,
 * whose message the API server repeats to the user.
 */
export class AdmissionServer {
  private readonly app: FastifyInstance<Server>;
  private readonly sockets = new Set<Socket>();
  private draining = false;

  constructor({ handlers, log, requestTimeoutMs = REQUEST_TIMEOUT_MS }: AdmissionServerOptions) {
    this.app = createApp(requestTimeoutMs);
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
      this.app.post(path, (request, reply) => {
        void reply.send(answer(parseReview(request.body), handler, log));
      });
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

  /** Ends after the answers under way, and after 2 s in any case. */
  async close(): Promise<void> {
    const cutOff = setTimeout(() => {
      // Those too that have not finished a handshake: the HTTP server knows nothing of them, and waits for them.
      for (const socket of this.sockets) socket.destroy();
    }, CLOSE_GRACE_MS);
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

function answer(review: AdmissionRequest, handler: AdmissionHandler, log: Logger): AdmissionReviewResponse {
  try {
    const decision = handler(review);
    logDecision(log, review, decision);
    return encodeResponse(review, decision);
  } catch (error) {
    if (error instanceof BadRequest) throw error;
    throw new ReviewFailed(review.uid, error);
  }
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
