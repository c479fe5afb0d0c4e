import type { DaskCluster } from '../../api/dask-cluster.ts';
import { forbidden, type Finding } from '../findings.ts';
import type { Policy } from '../policy/policy.ts';
import type { NanoQuantity } from '../quantity.ts';
import { amountText } from './amount-text.ts';
import { causeOf } from './cause.ts';
import { demandOf } from './cluster-demand.ts';
import { NO_DEMAND } from './demand.ts';
import { excessesOf, hasLimits, LIMITS, scopesOf, scopeText, type Excess, type Scope } from './scope.ts';
import type { Usage } from './usage-index.ts';

export interface LimitsInput {
  /** The object as it is to be, without its unsound parts. */
  readonly cluster: DaskCluster;
  /** As it is stored; absent for a new one. */
  readonly oldCluster?: DaskCluster | undefined;
  readonly owner: string;
  readonly policy: Pick<Policy, 'limits'>;
  /** Of all other clusters: `UsageIndex.beside`. */
  readonly usage: Usage;
}

/**
 * The limits that a cluster would go beyond, one finding for each limit and measure. Only growth is in excess: a change
 * that shrinks, or leaves a measure as it is, passes however much is in use.
 */
export function judgeLimits(input: LimitsInput): readonly Finding[] {
  if (!hasLimits(input.policy.limits)) return [];
  return limitExcesses(input).map((excess) => {
    const { path, value } = causeOf(excess, input);
    return forbidden({ rule: LIMITS, path, value, message: excessText(excess) });
  });
}

function limitExcesses({ cluster, oldCluster, owner, policy, usage }: LimitsInput): readonly Excess[] {
  const asked = demandOf(cluster);
  const held = oldCluster === undefined ? NO_DEMAND : demandOf(oldCluster);
  const namespace = cluster.metadata.namespace ?? '';
  return scopesOf({ owner, namespace }, policy.limits).flatMap((scope) =>
    excessesOf(scope, { used: usedIn(scope, usage), asked, held }),
  );
}

export function usedIn({ kind }: Scope, { ofOwner, ofNamespace }: Usage): Usage['ofOwner'] {
  if (kind === 'cluster') return NO_DEMAND;
  return kind === 'user' ? ofOwner : ofNamespace;
}

/** `user 'alice' may have at most 10 workers: other clusters have 8, this one asks for 5; ask for at most 2 workers`. */
export function excessText({ scope, measure, bound, used, asked }: Excess): string {
  const text = (amount: bigint): string => amountText(measure, amount as NanoQuantity);
  const may = `${scopeText(scope)} may have at most ${text(bound)}`;
  if (scope.kind === 'cluster') return `${may}: this one asks for ${text(asked)}`;
  const left = bound - used;
  const remedy = left > 0n && measure !== 'clusters' ? `ask for at most ${text(left)}, or ` : '';
  return `${may}: other clusters have ${text(used)}, this one asks for ${text(asked)}; ${remedy}stop or delete another cluster first`;
}
