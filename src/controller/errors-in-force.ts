import type { Finding } from '../core/findings.ts';
import { applyPolicy, type Application } from '../core/policy/apply.ts';

/** The errors among findings of what is stored, at the levels that the configuration and the namespace give them. */
export function errorsInForce(
  findings: readonly Finding[],
  circumstances: Omit<Application, 'softened'>,
): readonly Finding[] {
  return applyPolicy(findings, { ...circumstances, softened: false }).filter(
    ({ level }) => level === 'error',
  );
}
