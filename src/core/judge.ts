import type { DaskCluster } from '../api/dask-cluster.ts';
import type { Finding } from './findings.ts';
import { ratchet } from './ratchet.ts';
import { subjectOf } from './rules/subject.ts';
import { RULES } from './rules/table.ts';
import { judgeStructure } from './structure/judge-structure.ts';

export interface JudgeInput {
  /** A DaskCluster as it came over the wire or out of a file; anything at all is accepted. */
  readonly object: unknown;
  /** The stored version that it is to replace; absent for a new object. */
  readonly oldObject?: unknown;
}

export interface Verdict {
  readonly findings: readonly Finding[];
  /** Whether any finding is an error. */
  readonly denied: boolean;
  /** The object with its unsound parts and its nulls left out: what the controller would run. */
  readonly sound: DaskCluster;
}

/**
 * The one judgement of a DaskCluster, for the webhook, the controller and the command line alike: its structure and
 * every product rule, all findings at once. Pure and total.
 */
export function judge({ object, oldObject }: JudgeInput): Verdict {
  const { findings, sound } = allFindings(object);
  const judged = oldObject === undefined ? findings : ratchet(findings, allFindings(oldObject).findings);
  return { findings: judged, denied: judged.some(({ level }) => level === 'error'), sound };
}

function allFindings(object: unknown): { findings: readonly Finding[]; sound: DaskCluster } {
  const { findings, sound } = judgeStructure(object);
  const subject = subjectOf(sound);
  // What is of the wrong type is left out of `sound`: that a rule then misses it is the same fault told twice.
  const unsound = findings.map(({ path }) => path.toString());
  const ofRules = RULES.flatMap((rule) => rule.check(subject)).filter(
    ({ path }) => !unsound.some((place) => isWithin(path.toString(), place)),
  );
  return { findings: [...findings, ...ofRules], sound };
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
}
