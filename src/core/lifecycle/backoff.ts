/** Delays before a failed pod is replaced. */
export interface Backoff {
  /** After the first failure. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** So long without a failure, and the next one counts as the first. */
  readonly resetMs: number;
}

/**
 * @param failures consecutive failures before this one
 * @returns milliseconds from this failure to its replacement
 */
export function backoffMs({ baseMs, maxMs }: Backoff, failures: number): number {
  // Beyond 2^30 every base above a microsecond has passed any sensible maximum; the shift must not overflow.
  return Math.min(maxMs, baseMs * 2 ** Math.min(Math.max(failures, 0), 30));
}
