import type { DaskCluster } from '../api/dask-cluster.ts';
import { isWithin } from '../api/field-path.ts';
import type { Finding } from './findings.ts';
import { DEFAULT_POLICY, type Policy } from './policy/policy.ts';
import { ratchet } from './ratchet.ts';
import { located } from './rules/located.ts';
import { subjectOf, type Circumstances } from './rules/subject.ts';
import { RULES } from './rules/table.ts';
import { judgeStructure, type Structure } from './structure/judge-structure.ts';
import { UNKNOWN_FIELD } from './structure/structural-finding.ts';

export interface JudgeInput {
  /** A DaskCluster as it came over the wire or out of a file; anything at all is accepted. */
  readonly object: unknown;
  /** The stored version that it is to replace; absent for a new object. */
  readonly oldObject?: unknown;
  /** The configuration of rules; absent means the defaults. */
  readonly policy?: Policy | undefined;
}

export interface Verdict {
  readonly findings: readonly Finding[];
  /** Whether any finding is an error. */
  readonly denied: boolean;
  /** The object with its unsound parts and its nulls left out: what the controller would run. */
  readonly sound: DaskCluster;
  /** The same of the stored object; absent where there is none. */
  readonly oldSound?: DaskCluster;
}

/**
 * The one judgement of a DaskCluster, for the webhook, the controller and the command line alike: its structure and
 * every product rule, all findings at once. Pure and total.
 */
export function judge({ object, oldObject, policy = DEFAULT_POLICY }: JudgeInput): Verdict {
  const structure = judgeStructure(object);
  const { sound } = structure;
  const old = oldObject === undefined ? undefined : judgeStructure(oldObject);
  const findings =
    old === undefined ? allFindings(structure, { policy }) : findingsOfUpdate(structure, old, policy);
  const denied = findings.some(({ level }) => level === 'error');
  return { findings, denied, sound, ...(old && { oldSound: old.sound }) };
}

function findingsOfUpdate(structure: Structure, old: Structure, policy: Policy): readonly Finding[] {
  const findings = allFindings(structure, { policy, oldCluster: old.sound });
  // Most updates have nothing wrong, and then the stored object need not be judged.
  return findings.length === 0 ? findings : ratchet(findings, allFindings(old, { policy }));
}

function allFindings({ findings, sound }: Structure, circumstances: Circumstances): readonly Finding[] {
  const subject = subjectOf(sound, circumstances);
  // What is of the wrong type is left out of `sound`: that a rule then misses it is the same fault told twice. Not so
  // an unknown field, which may be named like the path of another one.
  const unsound = findings.filter(({ rule }) => rule !== UNKNOWN_FIELD).map(({ path }) => path.toString());
  const ofRules = located(
    RULES.flatMap((rule) => rule.check(subject)),
    subject.templates,
  );
  const told = ofRules.filter(({ path }) => !unsound.some((place) => isWithin(path.toString(), place)));
  return [...findings, ...told];
}
