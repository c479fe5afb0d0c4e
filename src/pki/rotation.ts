import { X509Certificate } from 'node:crypto';

export type RotationReason = 'NotYetValid' | 'TwoThirdsOfLife' | 'Expired';

export type Rotation =
  | { readonly due: false; /** Epoch milliseconds from which it will be due. */ readonly dueAtMs: number }
  | { readonly due: true; readonly reason: RotationReason };

/**
 * Says whether a certificate should be replaced: when two thirds of its life are over, or when it is not valid at
 * all (also before its start, after a clock was set back).
 * @param certificatePem one certificate; of several the first counts
 * @throws Error of OpenSSL where it is not PEM
 */
export function rotationDue(certificatePem: string, nowMs: number): Rotation {
  const certificate = new X509Certificate(certificatePem);
  const startMs = certificate.validFromDate.getTime();
  const endMs = certificate.validToDate.getTime();
  if (nowMs < startMs) return { due: true, reason: 'NotYetValid' };
  if (nowMs >= endMs) return { due: true, reason: 'Expired' };
  const dueAtMs = startMs + Math.ceil(((endMs - startMs) * 2) / 3);
  return nowMs >= dueAtMs ? { due: true, reason: 'TwoThirdsOfLife' } : { due: false, dueAtMs };
}
