import type { DaskCluster } from '../api/dask-cluster.ts';
import type { NamespaceFacts } from '../api/namespace-facts.ts';
import type { Finding } from '../core/findings.ts';
import { judge } from '../core/judge.ts';
import { enforcementOf } from '../core/policy/apply.ts';
import type { Enforcement, Policy } from '../core/policy/policy.ts';
import { errorsInForce } from './errors-in-force.ts';

/** A stored cluster as it may be worked on, and what is wrong with it. */
export interface Judged {
  readonly cluster: DaskCluster;
  readonly errors: readonly Finding[];
}

export interface VerdictsOptions {
  readonly policy: () => Policy;
  /** Whose label may change the enforcement; undefined where it is not known. */
  readonly namespaceOf: (name: string) => NamespaceFacts | undefined;
}

interface Entry {
  readonly generation: number | undefined;
  readonly policy: Policy;
  readonly enforcement: Enforcement;
  readonly sound: DaskCluster;
  readonly errors: readonly Finding[];
}

/** Judges each version of a cluster's spec once: status and pods change far more often than it does. */
export class Verdicts {
  private readonly entries = new Map<string, Entry>();
  private readonly options: VerdictsOptions;

  constructor(options: VerdictsOptions) {
    this.options = options;
  }

  of(cluster: DaskCluster): Judged {
    const { uid = '', namespace = '' } = cluster.metadata;
    const policy = this.options.policy();
    const enforcement = enforcementOf(policy, this.options.namespaceOf(namespace)?.labels);
    let entry = this.entries.get(uid);
    if (entry === undefined || !isCurrent(entry, cluster, { policy, enforcement })) {
      entry = judged(cluster, { policy, enforcement });
      this.entries.set(uid, entry);
    }
    // The status is ours and the metadata the API server's; only the spec is what somebody wrote.
    return {
      cluster: { ...cluster, spec: entry.sound.spec },
      errors: entry.errors,
    };
  }

  forget(uid: string): void {
    this.entries.delete(uid);
  }
}

type Circumstances = Pick<Entry, 'policy' | 'enforcement'>;

function isCurrent(entry: Entry, { metadata }: DaskCluster, { policy, enforcement }: Circumstances): boolean {
  return (
    entry.generation === metadata.generation && entry.policy === policy && entry.enforcement === enforcement
  );
}

function judged(cluster: DaskCluster, circumstances: Circumstances): Entry {
  const { policy } = circumstances;
  const { findings, sound } = judge({
    object: cluster,
    policy,
    ...(isAccepted(cluster) && { oldObject: cluster }),
  });
  const errors = errorsInForce(findings, circumstances);
  return { ...circumstances, generation: cluster.metadata.generation, sound, errors };
}

/** What was worked on once is worked on until it changes: a rule that is tightened later ends nobody's cluster. */
function isAccepted({ metadata, status }: DaskCluster): boolean {
  const isStalled = status?.conditions?.some(({ type, status: is }) => type === 'Stalled' && is === 'True');
  return (
    status?.observedGeneration !== undefined &&
    status.observedGeneration === metadata.generation &&
    isStalled !== true
  );
}
