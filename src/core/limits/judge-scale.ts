import { formOf, type DaskCluster } from '../../api/dask-cluster.ts';
import { FieldPath } from '../../api/field-path.ts';
import { forbidden, invalid, type Finding } from '../findings.ts';
import { judgeLimits, type LimitsInput } from './judge-limits.ts';
import { hasLimits, LIMITS } from './scope.ts';

export interface ScaleInput extends Pick<LimitsInput, 'policy'> {
  /** `spec.replicas` of the Scale as it is to be, and as it is. */
  readonly replicas: number;
  readonly oldReplicas: number;
  /** The cluster that is scaled; undefined where the cache has not seen it. */
  readonly parent: (Pick<LimitsInput, 'owner' | 'usage'> & { readonly cluster: DaskCluster }) | undefined;
}

const PATH = FieldPath.of('spec', 'replicas');

/** The same limits for `/scale`, which names no cluster but by its path: all findings are at `spec.replicas`. */
export function judgeScale({ replicas, oldReplicas, parent, policy }: ScaleInput): readonly Finding[] {
  if (replicas < 0) {
    const message = 'must be greater than or equal to 0';
    return [invalid({ rule: 'scale', path: PATH, value: replicas, message })];
  }
  if (replicas <= oldReplicas || !hasLimits(policy.limits)) return [];
  if (parent === undefined) return [unseen(replicas)];
  const { cluster, owner, usage } = parent;
  const findings = judgeLimits({
    cluster: withReplicas(cluster, replicas),
    oldCluster: withReplicas(cluster, oldReplicas),
    owner,
    policy,
    usage,
  });
  return findings.map((finding) => ({ ...finding, path: PATH, value: replicas }));
}

/** The cluster with another number of workers, in the field where its form has it. */
export function withReplicas(cluster: DaskCluster, replicas: number): DaskCluster {
  const { spec } = cluster;
  return formOf(spec) === 'gateway'
    ? { ...cluster, spec: { ...spec, replicas } }
    : { ...cluster, spec: { ...spec, worker: { ...spec.worker, replicas } } };
}

function unseen(replicas: number): Finding {
  const message =
    'this replica of the webhook has not seen the cluster yet and cannot tell what its workers request; try again in a few seconds, or set `spec.worker.replicas` of the DaskCluster itself';
  return forbidden({ rule: LIMITS, path: PATH, value: replicas, message });
}
