import { asWarning, type Finding } from './findings.ts';

/**
 * An update may keep what was already wrong: an error that the old object gives too, by the same rule at the same
 * place (list items by name) with an equal value, becomes a warning. Otherwise a tightened rule would make every
 * stored object that breaks it impossible to label, stop or delete.
 */
export function ratchet(findings: readonly Finding[], old: readonly Finding[]): readonly Finding[] {
  const known = new Set(old.map(identityOf));
  return findings.map((finding) =>
    known.has(identityOf(finding)) ? { ...asWarning(finding), stored: true } : finding,
  );
}

function identityOf(finding: Finding): string {
  return JSON.stringify([finding.rule, finding.path.identity(), finding.value]);
}
