import type { DaskCluster } from '../src/api/dask-cluster.ts';
import type { NamespaceFacts } from '../src/api/namespace-facts.ts';
import type { AccessQuestion, Requester } from '../src/core/identity/requester.ts';
import type { JudgeInput, Verdict } from '../src/core/judge.ts';
import type { Tenancy } from '../src/core/limits/scope.ts';
import type { Usage } from '../src/core/limits/usage-index.ts';
import type { Policy, PodSecurityLevel } from '../src/core/policy/policy.ts';

/** What the handlers of reviews know beyond the review: from memory, but for access reviews and new namespaces. */
export interface AdmissionContext {
  /** The configuration as it is now: it is read again when its file changes. */
  readonly policy: () => Policy;
  readonly judge: ClusterJudge;
  /** Undefined where there is no such namespace. Rejects where the API server does not say. */
  readonly namespaceOf: (name: string) => Promise<NamespaceFacts | undefined>;
  readonly mayDo: AccessCheck;
  /** The stored cluster; undefined where the cache has not seen it. */
  readonly clusterOf: (namespace: string, name: string) => DaskCluster | undefined;
  readonly usage: ClusterUsage;
}

/** Structure, every product rule and Kubernetes' own validation of the pods. Rejects where no verdict could be had. */
export type ClusterJudge = (input: ClusterJudgeInput) => Promise<Verdict>;

export interface ClusterJudgeInput extends JudgeInput {
  readonly policy: Policy;
  /** What the namespace of the pods enforces. */
  readonly podSecurity: PodSecurityLevel;
}

/** Whether Kubernetes lets somebody do something. Rejects where the API server does not say. */
export type AccessCheck = (who: Requester, question: AccessQuestion) => Promise<boolean>;

/** What clusters take, those included that were just admitted. */
export interface ClusterUsage {
  /** Of all clusters but the named one. */
  readonly usageBeside: (name: string, tenancy: Tenancy) => Usage;
  /** Counts a cluster from now on; in the same turn of the event loop as the judgement, and not for a dry run. */
  readonly reserve: (admitted: {
    readonly cluster: DaskCluster;
    readonly owner: string;
    /** The resource version that an update is made from. */
    readonly replaces?: string | undefined;
  }) => void;
}
