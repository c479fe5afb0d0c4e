import type { Finding } from '../src/core/findings.ts';
import type { JsonPatchOperation } from '../src/core/json-patch.ts';

/** What the service says to one request; {@link encodeResponse} puts it on the wire. */
export type Decision = Allowed | Denied;

export interface Allowed {
  readonly allowed: true;
  /** Shown as warnings. */
  readonly findings: readonly Finding[];
  /** Only a mutating endpoint may give operations. */
  readonly patch: readonly JsonPatchOperation[];
}

export interface Denied {
  readonly allowed: false;
  /** `Invalid`: the object is wrong (422). `Forbidden`: this requester may not do it (403). */
  readonly reason: 'Invalid' | 'Forbidden';
  /** At least one of level error. */
  readonly findings: readonly Finding[];
}

export function allow(findings: readonly Finding[] = [], patch: readonly JsonPatchOperation[] = []): Allowed {
  return { allowed: true, findings, patch };
}

export function deny(reason: Denied['reason'], findings: readonly Finding[]): Denied {
  return { allowed: false, reason, findings };
}
