import type { Logger } from '../src/platform/logger.ts';
import type { Decision } from './decision.ts';
import { ruleIds } from './response.ts';
import type { AdmissionRequest } from './review.ts';

/** `spare`: it would be refused, but for the enforcement or the form. */
export type Outcome = 'allow' | 'warn' | 'spare' | 'patch' | 'deny';

/**
 * One line for a decision that a person may ask about: a denial or a warning. A patched object is the daily business
 * of the injection and stands at debug level. Never anything of the object but its name.
 */
export function logDecision(log: Logger, request: AdmissionRequest, decision: Decision): void {
  const outcome = outcomeOf(decision);
  if (outcome === 'allow') return;
  const line = {
    uid: request.uid,
    user: request.requester.username,
    operation: request.operation,
    kind: request.kind.kind,
    ...(request.subResource !== '' && { subResource: request.subResource }),
    namespace: request.namespace,
    // Not `name`: that is the logger's.
    object: request.name,
    ...(decision.correlation !== undefined && { correlation: decision.correlation }),
    rules: ruleIds(decision.findings),
    decision: outcome,
    dryRun: request.dryRun,
  };
  if (outcome === 'patch') log.debug(line, 'reviewed');
  else log.info(line, 'reviewed');
}

export function outcomeOf(decision: Decision): Outcome {
  if (!decision.allowed) return 'deny';
  if (decision.spared === true) return 'spare';
  if (decision.findings.length > 0) return 'warn';
  return decision.patch.length > 0 ? 'patch' : 'allow';
}
