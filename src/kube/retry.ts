import { isThrottled, ApiError, TransportError } from './errors.ts';

const MAX_ATTEMPTS = 5;
const SHORTEST_WAIT_MS = 100;

/**
 * How long to wait before the same request may be sent again; undefined when it may not. Only what cannot have
 * happened is repeated: the server said that it did nothing, or no connection came about. A POST is never repeated
 * after a failed connection: whoever sent it looks first.
 * @param attempt how many attempts were made, from 1
 * @param jitter from 0 to 1
 */
export function retryDelayMs(
  method: string,
  error: unknown,
  attempt: number,
  jitter: number,
): number | undefined {
  if (attempt >= MAX_ATTEMPTS) return undefined;
  if (error instanceof ApiError) {
    if (!isThrottled(error) || error.retryAfterMs === undefined) return undefined;
    // Everybody was told the same number of seconds.
    return Math.max(error.retryAfterMs, SHORTEST_WAIT_MS) * (1 + jitter / 4);
  }
  if (error instanceof TransportError && mayRepeat(method, error.outcome)) {
    return SHORTEST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + jitter / 2);
  }
  return undefined;
}

function mayRepeat(method: string, outcome: TransportError['outcome']): boolean {
  return method === 'GET' || (method !== 'POST' && outcome === 'not-sent');
}
