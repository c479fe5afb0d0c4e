import { X509Certificate } from 'node:crypto';
import { type Authority, authorityProblem } from './authority.ts';
import { authoritiesIn } from './bundle.ts';
import { rotationDue } from './rotation.ts';
import { validityProblem } from './validity.ts';

/** What is stored of the webhooks' authorities, as it was found: an authority may be unusable. */
export interface StoredAuthorities {
  /** The one that replicas issue their leaves from. */
  readonly signing: Authority | undefined;
  /** The one that is to sign when every API server trusts it. */
  readonly next: Authority | undefined;
  /** Certificates, PEM, of those that signed before; leaves of theirs may still be in use. */
  readonly previousPem: string;
  /** Epoch milliseconds since when they sign no more. */
  readonly switchedAtMs: number | undefined;
}

export interface Observation {
  /** Undefined where nothing is stored. */
  readonly stored: StoredAuthorities | undefined;
  /** The bundle (PEM, may be empty) of every webhook of every registration that there is. */
  readonly bundles: readonly string[];
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** For how long all of this but the time has been seen as it is; measured by a clock that never jumps. */
  readonly unchangedForMs: number;
}

export interface RotationSettings {
  /** How long every API server, and every replica, may take to learn of a change. */
  readonly settleMs: number;
  /** The longest that a leaf is served. */
  readonly leafValidityMs: number;
}

/** The one thing to do; what follows from it is seen by looking again. */
export type RotationStep =
  /** Make an authority and store it in this place, beside the rest. */
  | {
      readonly kind: 'make';
      readonly place: 'signing' | 'next';
      readonly rest: StoredAuthorities;
      readonly why: string;
    }
  | { readonly kind: 'publish'; readonly bundlePem: string }
  | { readonly kind: 'store'; readonly state: StoredAuthorities; readonly why: string }
  | { readonly kind: 'rest'; readonly forMs: number };

const NOTHING: StoredAuthorities = {
  signing: undefined,
  next: undefined,
  previousPem: '',
  switchedAtMs: undefined,
};
/** A clock that jumps to and fro makes authorities in vain; the registrations must not grow with them. */
const MOST_PREVIOUS = 4;

/**
 * Leads from any state to the one where a sound authority signs and the registrations trust it, in an order in which
 * the leaf of no replica is ever untrusted: the next authority is stored, published, and signs only once every API
 * server trusts it; the one before is trusted until the last of its leaves is over. Any step may be repeated, and may
 * be the last of a process.
 */
export function nextStep(seen: Observation, settings: RotationSettings): RotationStep {
  const { nowMs, unchangedForMs, bundles } = seen;
  const stored = seen.stored ?? NOTHING;
  const problem = problemOf(stored.signing, nowMs);
  const nextIsUsable = problemOf(stored.next, nowMs) === undefined;
  const outgoing = outgoingOf(stored, problem === undefined ? [] : bundles);
  const mayBeServed = outgoing.some((pem) => isValid(pem, nowMs));

  const why = reasonForNew(stored, problem, nowMs);
  if (!nextIsUsable && why !== undefined) {
    // Where nobody can be served by what was there, there is nothing to be careful about.
    return mayBeServed ? makeNext(stored, outgoing, why) : makeSigning(outgoing, nowMs, why);
  }
  const wanted = authoritiesIn(nextIsUsable ? (stored.next?.certificatePem ?? '') : '', ...outgoing).join('');
  if (bundles.some((bundle) => bundle !== wanted)) return { kind: 'publish', bundlePem: wanted };
  if (nextIsUsable) {
    const settlesInMs = mayBeServed ? settings.settleMs - unchangedForMs : 0;
    return settlesInMs > 0 ? { kind: 'rest', forMs: settlesInMs } : promote(stored, outgoing, nowMs);
  }
  return retire(stored, seen, settings);
}

/** Why there must be another authority than the one that signs; undefined where it may go on. */
function reasonForNew(
  { signing, next }: StoredAuthorities,
  problem: string | undefined,
  nowMs: number,
): string | undefined {
  if (signing === undefined || problem !== undefined) return problem;
  if (next !== undefined) return `the next ${problemOf(next, nowMs) ?? ''}`;
  const due = rotationDue(signing.certificatePem, nowMs);
  return due.due ? 'two thirds of its life are over' : undefined;
}

function problemOf(authority: Authority | undefined, nowMs: number): string | undefined {
  return authority === undefined ? 'there is no certificate authority' : authorityProblem(authority, nowMs);
}

/** Certificates by which leaves that are in use now may be verified. */
function outgoingOf(stored: StoredAuthorities, bundles: readonly string[]): readonly string[] {
  const next = stored.next === undefined ? [] : authoritiesIn(stored.next.certificatePem);
  return authoritiesIn(stored.signing?.certificatePem ?? '', stored.previousPem, ...bundles).filter(
    (pem) => !next.includes(pem),
  );
}

function makeNext(stored: StoredAuthorities, outgoing: readonly string[], why: string): RotationStep {
  const signing = authoritiesIn(stored.signing?.certificatePem ?? '');
  const previousPem = newest(outgoing.filter((pem) => !signing.includes(pem)));
  return { kind: 'make', place: 'next', rest: { ...stored, next: undefined, previousPem }, why };
}

function makeSigning(outgoing: readonly string[], nowMs: number, why: string): RotationStep {
  const switchedAtMs = outgoing.length === 0 ? undefined : nowMs;
  const rest = { ...NOTHING, previousPem: newest(outgoing), switchedAtMs };
  return { kind: 'make', place: 'signing', rest, why };
}

function newest(outgoing: readonly string[]): string {
  return outgoing.slice(0, MOST_PREVIOUS).join('');
}

function promote(stored: StoredAuthorities, outgoing: readonly string[], nowMs: number): RotationStep {
  const previousPem = newest(outgoing);
  const state = { signing: stored.next, next: undefined, previousPem, switchedAtMs: nowMs };
  return { kind: 'store', state, why: 'the next certificate authority is trusted and signs from now on' };
}

/** Drops what signed before when its last leaf is over, and else waits for the next thing that will be due. */
function retire(stored: StoredAuthorities, seen: Observation, settings: RotationSettings): RotationStep {
  const { nowMs, unchangedForMs } = seen;
  const due = rotationDue(stored.signing?.certificatePem ?? '', nowMs);
  const dueInMs = due.due ? 0 : due.dueAtMs - nowMs;
  const { switchedAtMs, previousPem } = stored;
  if (previousPem === '') return { kind: 'rest', forMs: dueInMs };
  if (switchedAtMs === undefined || switchedAtMs > nowMs) {
    const state = { ...stored, switchedAtMs: nowMs };
    return { kind: 'store', state, why: 'when the certificate authority changed is not known: taken as now' };
  }
  // A clock that was set ahead ends no leaf: whoever polls must have had the time to see the change too.
  const overInMs = Math.max(
    switchedAtMs + settings.leafValidityMs - nowMs,
    settings.settleMs - unchangedForMs,
  );
  if (overInMs > 0) return { kind: 'rest', forMs: Math.min(overInMs, dueInMs) };
  const state = { ...stored, previousPem: '', switchedAtMs: undefined };
  return { kind: 'store', state, why: 'no leaf of an earlier certificate authority is left' };
}

function isValid(certificatePem: string, nowMs: number): boolean {
  return validityProblem(new X509Certificate(certificatePem), nowMs) === undefined;
}
