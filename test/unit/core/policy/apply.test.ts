import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../../src/api/field-path.ts';
import type { Finding, Level } from '../../../../src/core/findings.ts';
import { applyPolicy, enforcementOf } from '../../../../src/core/policy/apply.ts';
import { DEFAULT_POLICY, type Enforcement, type RuleLevel } from '../../../../src/core/policy/policy.ts';
import { CATALOGUE, type RuleEntry } from '../../../../src/core/rules/catalogue.ts';

const finding = (rule: string, level: Level, stored?: true): Finding => ({
  rule,
  level,
  path: FieldPath.of('spec'),
  reason: 'FieldValueInvalid',
  message: 'no',
  value: undefined,
  ...(stored && { stored }),
});

interface Case {
  readonly entry: RuleEntry;
  readonly level: Level;
  readonly stored: true | undefined;
  readonly set: RuleLevel | undefined;
  readonly enforcement: Enforcement;
  readonly softened: boolean;
}

const COMBINATIONS: readonly Case[] = CATALOGUE.flatMap((entry) =>
  (['error', 'warning'] as const).flatMap((level) =>
    ([undefined, true] as const).flatMap((stored) =>
      ([undefined, 'Deny', 'Warn', 'Off'] as const).flatMap((set) =>
        (['Deny', 'Warn'] as const).flatMap((enforcement) =>
          [false, true].map((softened) => ({ entry, level, stored, set, enforcement, softened })),
        ),
      ),
    ),
  ),
);

function applied({ entry, level, stored, set, enforcement, softened }: Case): string {
  const policy = { ...DEFAULT_POLICY, rules: set === undefined ? {} : { [entry.id]: set } };
  const findings = applyPolicy([finding(entry.id, level, stored)], { policy, enforcement, softened });
  return findings.map((each) => each.level).join() || 'nothing';
}

/** The rules of levels, written once more as a table of what wins over what. */
function expected({ entry, level, stored, set, enforcement, softened }: Case): string {
  const isSoft = enforcement === 'Warn' || softened;
  if (!entry.adjustable) return isSoft && !entry.security ? 'warning' : level;
  if (set === 'Off') return 'nothing';
  if (set === 'Warn' || isSoft) return 'warning';
  return set === 'Deny' && entry.level === 'warning' && stored === undefined ? 'error' : level;
}

describe('applyPolicy', () => {
  it('gives every rule the level that it should have, in every combination', () => {
    const wrong = COMBINATIONS.filter((each) => applied(each) !== expected(each));
    expect(wrong).toEqual([]);
    expect(COMBINATIONS.length).toBe(CATALOGUE.length * 2 * 2 * 4 * 2 * 2);
  });

  it('never makes a rule of security a warning, or lets it be set', () => {
    const policy = { ...DEFAULT_POLICY, rules: { 'foreign-credentials': 'Off', posing: 'Warn' } as const };
    const findings = [finding('foreign-credentials', 'error'), finding('posing', 'error')];
    expect(applyPolicy(findings, { policy, enforcement: 'Warn', softened: true })).toEqual(findings);
  });

  it('keeps errors of a rule that it does not know, and takes no level from a prototype', () => {
    const findings = [finding('of-tomorrow', 'error'), finding('constructor', 'error')];
    expect(applyPolicy(findings, { policy: DEFAULT_POLICY, enforcement: 'Warn', softened: true })).toEqual(
      findings,
    );
  });
});

describe('enforcementOf', () => {
  const label = 'daskwarden.dev/enforcement';

  it.each<[Readonly<Record<string, string>> | undefined, Enforcement, Enforcement]>([
    [{ [label]: 'Warn' }, 'Deny', 'Warn'],
    [{ [label]: 'deny' }, 'Warn', 'Deny'],
    [{ [label]: 'off' }, 'Deny', 'Deny'],
    [{ other: 'Warn' }, 'Deny', 'Deny'],
    [undefined, 'Warn', 'Warn'],
  ])('of labels %j, installation %s', (labels, enforcement, result) => {
    expect(enforcementOf({ ...DEFAULT_POLICY, enforcement }, labels)).toBe(result);
  });
});

describe('the catalogue', () => {
  it('names every rule once, and lets no rule of security be adjusted', () => {
    const ids = CATALOGUE.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(CATALOGUE.filter(({ adjustable, security }) => adjustable && security)).toEqual([]);
  });
});
