import type { Status } from '../api/kubernetes.ts';

export interface Call {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

/** The API server answered, and refused. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly call: Call;
  /** HTTP status. */
  readonly code: number;
  /** The machine-readable `reason` of the Status; empty when something else than the API server answered. */
  readonly reason: string;
  readonly details: Status['details'];
  /** How long the server asked to wait, where it did. */
  readonly retryAfterMs: number | undefined;

  constructor(call: Call, code: number, status: Partial<Status>, retryAfterMs?: number) {
    super(
      `${call.method} ${call.path}: ${String(code)} ${status.message ?? status.reason ?? 'no reason given'}`,
    );
    // Not the call itself: a request's body may hold a Secret, and errors are logged.
    this.call = { method: call.method, path: call.path };
    this.code = code;
    this.reason = status.reason ?? '';
    this.details = status.details;
    const fromStatus = status.details?.retryAfterSeconds;
    this.retryAfterMs = retryAfterMs ?? (fromStatus === undefined ? undefined : fromStatus * 1000);
  }
}

/** No (whole) answer came. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly call: Call;
  /** `not-sent`: no connection came about, so nothing happened. `unknown`: the server may have done it. */
  readonly outcome: 'not-sent' | 'unknown';

  constructor(call: Call, outcome: TransportError['outcome'], cause: unknown) {
    super(`${call.method} ${call.path}: ${describe(cause)}`, { cause });
    this.call = { method: call.method, path: call.path };
    this.outcome = outcome;
  }
}

/** An `AggregateError` of Node's (every address of the host failed) has no message, only a code. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

/** The object changed since it was read. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 409 && error.reason !== 'AlreadyExists';
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'AlreadyExists';
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404;
}

/** The resource version or continue token is too old: list anew. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 410 || error.reason === 'Expired');
}

export function isInvalid(error: unknown): boolean {
  return error instanceof ApiError && error.code === 422;
}

export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.code === 403;
}

/** The server did nothing and asks to come back later. */
export function isThrottled(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.code === 429 || (error.code === 503 && error.retryAfterMs !== undefined))
  );
}
