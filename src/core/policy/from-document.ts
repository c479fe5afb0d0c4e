import { parsePolicy } from './parse.ts';
import type { PolicyProblem } from './policy-problem.ts';
import type { Policy } from './policy.ts';

/** The policy that a configuration file describes, in the shape that readers of files take. */
export function policyFromDocument(
  document: unknown,
): Policy | { readonly problems: readonly PolicyProblem[] } {
  const parsed = parsePolicy(document);
  return 'policy' in parsed ? parsed.policy : parsed;
}
