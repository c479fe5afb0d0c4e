import type { DaskCluster } from '../api/dask-cluster.ts';
import type { Finding } from '../core/findings.ts';
import { enforcementOf } from '../core/policy/apply.ts';
import type { DryRuns } from './dry-runs.ts';
import { errorsInForce } from './errors-in-force.ts';
import { namespaceFindings } from './namespace-findings.ts';
import type { VerdictsOptions } from './verdicts.ts';

export interface GatewayVerdictsOptions extends VerdictsOptions {
  readonly dryRuns: Pick<DryRuns, 'findingsOf' | 'forget'>;
}

/**
 * Finds again what admission let pass of the gateway form, where a denial would have been a bare error to the user, and
 * what the rules on the object alone do not show: where it may be, and what Kubernetes says of its pods. Not whether
 * it is beyond a limit: who is surplus depends on the order in which clusters start, and whoever runs these decides it.
 */
export class GatewayVerdicts {
  private readonly options: GatewayVerdictsOptions;

  constructor(options: GatewayVerdictsOptions) {
    this.options = options;
  }

  /**
   * The errors for which a cluster is to be ended; none where the configuration has such a one denied.
   * @param cluster of the gateway form, as it may be worked on
   * @throws ApiError, TransportError where the API server gives no verdict now
   */
  async errorsOf(cluster: DaskCluster, signal: AbortSignal): Promise<readonly Finding[]> {
    const { dryRuns, namespaceOf } = this.options;
    const policy = this.options.policy();
    if (policy.gatewayForm.onInvalid !== 'Fail') return [];
    const namespace = namespaceOf(cluster.metadata.namespace ?? '');
    const findings = [
      ...namespaceFindings(cluster, policy, namespace),
      ...(await dryRuns.findingsOf(cluster, signal)),
    ];
    return errorsInForce(findings, { policy, enforcement: enforcementOf(policy, namespace?.labels) });
  }

  forget(uid: string): void {
    this.options.dryRuns.forget(uid);
  }
}
