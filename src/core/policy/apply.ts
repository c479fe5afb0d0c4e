import { ENFORCEMENT_LABEL } from '../../api/names.ts';
import { asWarning, type Finding } from '../findings.ts';
import { ruleOf } from '../rules/catalogue.ts';
import type { Enforcement, Policy, RuleLevel } from './policy.ts';

export interface Application {
  readonly policy: Policy;
  /** Of the namespace; see {@link enforcementOf}. */
  readonly enforcement: Enforcement;
  /**
   * A create by dask-gateway's API server where `gatewayForm.onInvalid` is Fail: a denial would reach the scientist as
   * a bare 500, so that only security denies.
   */
  readonly softened: boolean;
}

/**
 * Gives findings the levels that the configuration wants: first of each rule that may be adjusted, then of all but the
 * rules of security. What the stored object has already stays a warning, whatever the level of its rule.
 */
export function applyPolicy(
  findings: readonly Finding[],
  { policy, enforcement, softened }: Application,
): readonly Finding[] {
  const adjusted = findings.flatMap((finding) => adjust(finding, levelOf(policy, finding.rule)));
  if (enforcement === 'Deny' && !softened) return adjusted;
  return adjusted.map((finding) => (isSecurity(finding) ? finding : asWarning(finding)));
}

/**
 * What findings do in a namespace: as its label says, in any case of its letters, else as the installation does.
 * @param labels of the namespace; undefined where it is not known
 */
export function enforcementOf(
  policy: Policy,
  labels: Readonly<Record<string, string>> | undefined,
): Enforcement {
  switch (labels?.[ENFORCEMENT_LABEL]?.toLowerCase()) {
    case 'deny':
      return 'Deny';
    case 'warn':
      return 'Warn';
    default:
      return policy.enforcement;
  }
}

function levelOf(policy: Policy, rule: string): RuleLevel | undefined {
  return Object.hasOwn(policy.rules, rule) && ruleOf(rule)?.adjustable === true
    ? policy.rules[rule]
    : undefined;
}

function adjust(finding: Finding, level: RuleLevel | undefined): readonly Finding[] {
  switch (level) {
    case 'Off':
      return [];
    case 'Warn':
      return [asWarning(finding)];
    case 'Deny':
      return [isRaised(finding) ? { ...finding, level: 'error' } : finding];
    case undefined:
      return [finding];
  }
}

/** Whether 'Deny' makes an error of it: a rule of errors knows itself which of its findings are only warnings. */
function isRaised({ rule, stored }: Finding): boolean {
  return stored !== true && ruleOf(rule)?.level === 'warning';
}

/** A rule that the catalogue does not know is taken for one of security: nothing is let through by a slip. */
function isSecurity({ rule }: Finding): boolean {
  return ruleOf(rule)?.security ?? true;
}
