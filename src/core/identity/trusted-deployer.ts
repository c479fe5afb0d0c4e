import type { Policy } from '../policy/policy.ts';

/** The accounts that write clusters for others. */
export type DeployerPolicy = Pick<Policy, 'trustedDeployers' | 'gatewayForm'>;

/** Whether an account writes clusters for others, so that its own name says nothing of whose they are. */
export function isTrustedDeployer(policy: DeployerPolicy, username: string): boolean {
  return policy.trustedDeployers.includes(username) || policy.gatewayForm.accounts.includes(username);
}
