import { FieldPath } from '../../api/field-path.ts';
import { cut } from '../findings.ts';
import { parseQuantity, toUnits } from '../quantity.ts';
import { isObject, type JsonObject } from '../structure/json.ts';
import { printable } from '../structure/place.ts';
import { DEFAULT_POLICY, type ClusterLimits, type Policy, type ResourceLimits } from './policy.ts';
import type { PolicyProblem } from './policy-problem.ts';
import { ruleProblems } from './rule-levels.ts';
import { schemaProblems } from './validator.ts';

export type ParsedPolicy = { readonly policy: Policy } | { readonly problems: readonly PolicyProblem[] };

/** A configuration as `policy.schema.json` has it. */
interface PolicyDocument extends Partial<Omit<Policy, 'gatewayForm' | 'reach' | 'limits'>> {
  readonly gatewayForm?: Partial<Policy['gatewayForm']>;
  readonly reach?: Partial<Policy['reach']>;
  readonly limits?: {
    readonly cluster?: WrittenLimits;
    readonly user?: WrittenLimits;
    readonly users?: Readonly<Record<string, WrittenLimits>>;
    readonly namespace?: WrittenLimits;
    readonly namespaces?: Readonly<Record<string, WrittenLimits>>;
  };
}

interface WrittenLimits {
  readonly clusters?: number;
  readonly workers?: number;
  readonly cores?: string | number;
  readonly memory?: string | number;
}

const LEAST_MEMORY_BYTES = 1024n * 1024n;

/**
 * Reads the configuration of rules, out of a file that was parsed already; what it leaves out is as in
 * {@link DEFAULT_POLICY}. Takes anything at all, and tells all problems at once.
 */
export function parsePolicy(document: unknown): ParsedPolicy {
  if (document === undefined || document === null) {
    const message = 'the configuration is empty: write {} for the defaults';
    return { problems: [{ path: FieldPath.root, message }] };
  }
  const problems = [
    ...schemaProblems(document),
    ...ruleProblems(document),
    ...nameProblems(document),
    ...writtenLimits(document).flatMap(([path, limits]) => quantityProblems(path, limits)),
  ];
  return problems.length > 0 ? { problems } : { policy: policyOf(document) };
}

function policyOf(document: PolicyDocument): Policy {
  const { gatewayForm, reach, limits, ...others } = document;
  return {
    ...DEFAULT_POLICY,
    ...others,
    gatewayForm: { ...DEFAULT_POLICY.gatewayForm, ...gatewayForm },
    reach: { ...DEFAULT_POLICY.reach, ...reach },
    limits: {
      cluster: limitsOf(limits?.cluster),
      user: limitsOf(limits?.user),
      users: limitsByName(limits?.users),
      namespace: limitsOf(limits?.namespace),
      namespaces: limitsByName(limits?.namespaces),
    },
  };
}

function limitsByName(
  written: Readonly<Record<string, WrittenLimits>> | undefined,
): Readonly<Record<string, ClusterLimits>> {
  return Object.fromEntries(Object.entries(written ?? {}).map(([name, limits]) => [name, limitsOf(limits)]));
}

function limitsOf(written: WrittenLimits | undefined): ResourceLimits & ClusterLimits {
  const { cores, memory, ...counts } = written ?? {};
  const [nanoCores, nanoBytes] = [parseQuantity(cores), parseQuantity(memory)];
  return {
    ...counts,
    ...(nanoCores !== undefined && { cores: Number(nanoCores) / 1e9 }),
    ...(nanoBytes !== undefined && { memoryBytes: Number(toUnits(nanoBytes)) }),
  };
}

/** Rules of namespaces are told apart by their names. */
function nameProblems(document: unknown): readonly PolicyProblem[] {
  const rules = isObject(document) ? document['namespaces'] : undefined;
  if (!Array.isArray(rules)) return [];
  const names = rules.map((rule) => (isObject(rule) ? rule['name'] : undefined));
  const seen = new Set<unknown>();
  return names.flatMap((name, index) => {
    const isSecond = seen.has(name);
    seen.add(name);
    if (typeof name !== 'string' || !isSecond) return [];
    return {
      path: FieldPath.of('namespaces').index(index).child('name'),
      message: `Duplicate value: ${JSON.stringify(cut(name))}: every entry must have a name of its own`,
    };
  });
}

/** Every object of limits that is one. */
function writtenLimits(document: unknown): readonly (readonly [FieldPath, JsonObject])[] {
  const limits = isObject(document) ? document['limits'] : undefined;
  if (!isObject(limits)) return [];
  const path = FieldPath.of('limits');
  const single = ['cluster', 'user', 'namespace'].map((of) => [path.child(of), limits[of]] as const);
  const named = ['users', 'namespaces'].flatMap((of) =>
    Object.entries(limits[of] ?? {}).map(
      ([name, value]) => [path.child(of).key(printable(name)), value] as const,
    ),
  );
  return [...single, ...named].filter((entry): entry is readonly [FieldPath, JsonObject] =>
    isObject(entry[1]),
  );
}

function quantityProblems(path: FieldPath, limits: JsonObject): readonly PolicyProblem[] {
  return ['cores', 'memory'].flatMap((field) => {
    const written = limits[field];
    if (typeof written !== 'string' && typeof written !== 'number') return [];
    const fault = quantityFault(field, written);
    if (fault === undefined) return [];
    const message = `Invalid value: ${cut(JSON.stringify(written))}: ${fault}`;
    return { path: path.child(field), message };
  });
}

function quantityFault(field: string, written: string | number): string | undefined {
  const quantity = parseQuantity(written);
  if (quantity === undefined) return 'must be a quantity: a number, or text such as "500m" or "2Gi"';
  if (quantity < 0n) return 'must be greater than or equal to 0';
  const isTiny = quantity > 0n && toUnits(quantity) < LEAST_MEMORY_BYTES;
  if (field === 'memory' && isTiny) {
    return "must be at least 1Mi: without a unit these are bytes, with 'm' thousandths of a byte";
  }
  return undefined;
}
