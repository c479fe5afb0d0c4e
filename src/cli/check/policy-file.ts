import { policyFromDocument } from '../../core/policy/from-document.ts';
import { DEFAULT_POLICY, type Policy } from '../../core/policy/policy.ts';
import { parseConfigurationText, readConfigurationText } from '../../platform/read-configuration.ts';

/**
 * The configuration of rules as webhook and controller read it.
 * @throws ConfigurationError
 */
export async function policyOf(file: string | undefined): Promise<Policy> {
  if (file === undefined) return DEFAULT_POLICY;
  return parseConfigurationText(file, await readConfigurationText(file), policyFromDocument);
}
