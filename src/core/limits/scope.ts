import { cut } from '../findings.ts';
import type { ClusterLimits, Enforcement, Policy } from '../policy/policy.ts';
import { parseQuantity, type NanoQuantity } from '../quantity.ts';
import { MEASURES, plus, type Demand, type Measure } from './demand.ts';

/** What a set of limits holds for: one cluster, all clusters of a user, all clusters of a namespace. */
export interface Scope {
  readonly kind: 'cluster' | 'user' | 'namespace';
  /** The user's or the namespace's; empty for a single cluster. */
  readonly name: string;
  readonly limits: ClusterLimits;
}

/** Whose clusters a cluster is counted with. */
export interface Tenancy {
  readonly owner: string;
  readonly namespace: string;
}

/** One limit that a demand goes beyond. */
export interface Excess {
  readonly scope: Scope;
  readonly measure: Measure;
  readonly bound: NanoQuantity;
  /** By the other clusters of the scope. */
  readonly used: NanoQuantity;
  readonly asked: NanoQuantity;
}

type Limits = Policy['limits'];

/** Identifier of the rule. */
export const LIMITS = 'limits';

/** The limits that hold for a cluster. A user's or a namespace's own entry replaces what holds for all. */
export function scopesOf({ owner, namespace }: Tenancy, limits: Limits): readonly Scope[] {
  return [
    { kind: 'cluster', name: '', limits: limits.cluster },
    { kind: 'user', name: owner, limits: entry(limits.users, owner) ?? limits.user },
    { kind: 'namespace', name: namespace, limits: entry(limits.namespaces, namespace) ?? limits.namespace },
  ];
}

const NO_LIMITS: Limits = { cluster: {}, user: {}, users: {}, namespace: {}, namespaces: {} };

/**
 * The limits that clusters are held to: where going beyond them is only warned of, none.
 * @param enforcement of the namespace
 */
export function limitsInForce({ rules, limits }: Policy, enforcement: Enforcement): Limits {
  const level = rules[LIMITS] ?? 'Deny';
  return enforcement === 'Deny' && level === 'Deny' ? limits : NO_LIMITS;
}

/** Whether anything at all is limited. */
export function hasLimits({ cluster, user, users, namespace, namespaces }: Limits): boolean {
  const all: readonly ClusterLimits[] = [
    cluster,
    user,
    namespace,
    ...Object.values(users),
    ...Object.values(namespaces),
  ];
  return all.some((limits) => MEASURES.some((measure) => limits[measure] !== undefined));
}

/**
 * The limits of a scope that are gone beyond by a demand which grows, in the order of the measures.
 * @param used by the other clusters of the scope
 * @param held what the cluster had before: what does not grow is never in excess
 */
export function excessesOf(
  scope: Scope,
  { used, asked, held }: { readonly used: Demand; readonly asked: Demand; readonly held: Demand },
): readonly Excess[] {
  const total = plus(used, asked);
  return boundsOf(scope).flatMap(([measure, bound]) => {
    if (asked[measure] <= held[measure] || total[measure] <= bound) return [];
    return [{ scope, measure, bound, used: used[measure], asked: asked[measure] }];
  });
}

/** The measures that are limited, in their order. */
export function boundsOf({ limits }: Scope): readonly (readonly [measure: Measure, bound: NanoQuantity])[] {
  return MEASURES.flatMap((measure) => {
    const bound = parseQuantity(limits[measure]);
    return bound === undefined ? [] : [[measure, bound] as const];
  });
}

export function scopeText({ kind, name }: Scope): string {
  return kind === 'cluster' ? 'a cluster' : `${kind} '${cut(name)}'`;
}

function entry(named: Readonly<Record<string, ClusterLimits>>, name: string): ClusterLimits | undefined {
  return Object.hasOwn(named, name) ? named[name] : undefined;
}
