/** What a finding of a rule does: refuse, warn, or nothing at all. */
export type RuleLevel = 'Deny' | 'Warn' | 'Off';

/** Whether what the rules find refuses an object, or is only said. */
export type Enforcement = 'Deny' | 'Warn';

export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** An absent number is no limit. `cores` and `memory` are what pods request: cores, and bytes. */
export interface ResourceLimits {
  readonly workers?: number;
  readonly cores?: number;
  readonly memoryBytes?: number;
}

export interface ClusterLimits extends ResourceLimits {
  readonly clusters?: number;
}

/**
 * Who may have clusters where. A rule applies where all of its parts that are given match; the first that applies
 * decides. Names may have `*` for any characters.
 */
export interface NamespaceRule {
  /** Named in messages. */
  readonly name: string;
  readonly namespaces?: readonly string[];
  /** Labels that the namespace must carry. */
  readonly namespaceLabels?: Readonly<Record<string, string>>;
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  readonly action: 'Allow' | 'Deny';
  /** Lifts the reach rule: templates may reach as far as the controller's rights do. */
  readonly allowReach?: boolean;
  /** From which namespaces a trusted deployer may place clusters in these. */
  readonly sourceNamespaces?: readonly string[];
}

/** The configuration of rules: one object for the webhook, the controller and the command line. */
export interface Policy {
  readonly enforcement: Enforcement;
  /** By rule id; only rules that may be adjusted. */
  readonly rules: Readonly<Record<string, RuleLevel>>;
  /** Accounts that write clusters for others: Argo CD, Flux, CI, dask-gateway's API server. */
  readonly trustedDeployers: readonly string[];
  /** Accounts that may create the pods of clusters. */
  readonly podCreators: readonly string[];
  readonly gatewayForm: {
    /** The accounts of dask-gateway's API server; trusted deployers too. */
    readonly accounts: readonly string[];
    /** `Fail`: admitted, then ended as Failed with the findings. `Deny`: refused, a bare 500 to the scientist. */
    readonly onInvalid: 'Fail' | 'Deny';
  };
  /** In order; where none applies, clusters are allowed. */
  readonly namespaces: readonly NamespaceRule[];
  /** Prefixes of images that templates may name: `ghcr.io/dask/`. Empty allows every image. */
  readonly imageRegistries: readonly string[];
  /** What pods must hold to at least, whatever their namespace enforces. */
  readonly podSecurity: PodSecurityLevel;
  readonly reach: {
    /** What templates may name although the requester may not create pods. */
    readonly serviceAccounts: readonly string[];
    /** Names of Secrets, `*` for any characters. */
    readonly secrets: readonly string[];
  };
  readonly limits: {
    /** Of each cluster. */
    readonly cluster: ResourceLimits;
    /** Of each user, and by name in place of that. */
    readonly user: ClusterLimits;
    readonly users: Readonly<Record<string, ClusterLimits>>;
    readonly namespace: ClusterLimits;
    readonly namespaces: Readonly<Record<string, ClusterLimits>>;
  };
  /** How long a cluster's certificate is valid: no deadline may be later. */
  readonly credentialsValidityDays: number;
}

export const DEFAULT_POLICY: Policy = {
  enforcement: 'Deny',
  rules: {},
  trustedDeployers: [],
  podCreators: [],
  gatewayForm: { accounts: [], onInvalid: 'Fail' },
  namespaces: [],
  imageRegistries: [],
  podSecurity: 'privileged',
  reach: { serviceAccounts: ['default'], secrets: [] },
  limits: { cluster: {}, user: {}, users: {}, namespace: {}, namespaces: {} },
  credentialsValidityDays: 365,
};
