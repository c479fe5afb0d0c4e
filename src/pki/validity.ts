import type { X509Certificate } from 'node:crypto';

export const DAY_MS = 86_400_000;

/** How far a certificate's start lies in the past, for machines whose clock is behind ours. */
export const BACKDATE_MS = 5 * 60_000;

/** Why a certificate is not valid at a moment; undefined where it is. The same text while the reason is the same. */
export function validityProblem(certificate: X509Certificate, nowMs: number): string | undefined {
  const { validFromDate, validToDate } = certificate;
  if (nowMs < validFromDate.getTime()) return `it is not valid before ${validFromDate.toISOString()}`;
  if (nowMs >= validToDate.getTime()) return `it has expired at ${validToDate.toISOString()}`;
  return undefined;
}
