import type { Finding } from '../src/core/findings.ts';
import type { JsonPatchOperation } from '../src/core/json-patch.ts';

/** What the service says to one request; {@link encodeResponse} puts it on the wire. */
export type Decision = Allowed | Denied;

interface Told {
  /** By which the controller's log lines and Events are found again; absent where there is no object yet. */
  readonly correlation?: string;
}

export interface Allowed extends Told {
  readonly allowed: true;
  /** Shown as warnings. */
  readonly findings: readonly Finding[];
  /** Only a mutating endpoint may give operations. */
  readonly patch: readonly JsonPatchOperation[];
  /** It would be refused but for the enforcement, or for the form. */
  readonly spared?: boolean;
}

export interface Denied extends Told {
  readonly allowed: false;
  /** `Invalid`: the object is wrong (422). `Forbidden`: this requester may not do it (403). */
  readonly reason: 'Invalid' | 'Forbidden';
  /** At least one of level error. */
  readonly findings: readonly Finding[];
}

export function allow(findings: readonly Finding[] = [], patch: readonly JsonPatchOperation[] = []): Allowed {
  return { allowed: true, findings, patch };
}

/** Findings of these say what a requester may not do; of all others, that the object is wrong. */
const POLICY_RULES: ReadonlySet<string> = new Set([
  'limits',
  'namespace-rules',
  'placement',
  'reach',
  'requested-by',
  'posing',
  'connect',
]);

/**
 * Refuses where any finding is an error.
 * @param levelled at the levels that the configuration gives them
 * @param found before that: where one was an error then, the object is only spared
 */
export function decisionOf(levelled: readonly Finding[], found: readonly Finding[]): Decision {
  const errors = levelled.filter(isError);
  if (errors.length > 0) {
    const isPolicy = errors.every(({ rule }) => POLICY_RULES.has(rule));
    return deny(isPolicy ? 'Forbidden' : 'Invalid', levelled);
  }
  return { ...allow(levelled), ...(found.some(isError) && { spared: true }) };
}

function isError({ level }: Finding): boolean {
  return level === 'error';
}

export function deny(reason: Denied['reason'], findings: readonly Finding[]): Denied {
  return { allowed: false, reason, findings };
}
