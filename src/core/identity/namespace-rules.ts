import { FieldPath } from '../../api/field-path.ts';
import { cut, forbidden, type Finding } from '../findings.ts';
import type { NamespaceRule, Policy } from '../policy/policy.ts';
import { matchesSome } from './glob.ts';
import type { NamespaceFacts } from '../../api/namespace-facts.ts';
import type { Requester } from './requester.ts';
import { isTrustedDeployer, type DeployerPolicy } from './trusted-deployer.ts';

export interface NamespaceQuery {
  readonly policy: Pick<Policy, 'namespaces'> & DeployerPolicy;
  readonly requester: Requester;
  readonly namespace: NamespaceFacts;
  /** Whom the cluster counts for. Heeded for trusted deployers alone, whose own name says nothing of it. */
  readonly owner?: string;
  /** Where the namespace is named; `metadata.namespace` when absent. */
  readonly path?: FieldPath;
}

export interface NamespaceVerdict {
  readonly findings: readonly Finding[];
  /** Whether templates may reach as far as the controller's rights do. */
  readonly allowReach: boolean;
}

/** Who a rule is held against. */
export interface Asker {
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

const RULE = 'namespace-rules';
const OWN_NAMESPACE = FieldPath.of('metadata', 'namespace');
/** More are no help to anybody. */
const MOST_PLACES = 5;

/**
 * What the first rule that applies says to a cluster in a namespace; where none applies, it is allowed.
 *
 * The owner that a deployer names lets a rule for that user apply, but never gives reach: whoever may write what is
 * deployed may name anybody.
 */
export function judgeNamespace(query: NamespaceQuery): NamespaceVerdict {
  const { policy, requester, namespace, path = OWN_NAMESPACE } = query;
  const asker = askerOf(query);
  const position = policy.namespaces.findIndex((rule) => applies(rule, asker, namespace));
  const rule = policy.namespaces[position];
  if (rule === undefined) return { findings: [], allowReach: false };
  if (rule.action === 'Allow') {
    const inPerson = matchesSome(rule.users, [requester.username]);
    return { findings: [], allowReach: rule.allowReach === true && inPerson };
  }
  // What a rule after this one allows, this one may still refuse.
  const before = policy.namespaces.slice(0, position);
  const message = `the rule '${cut(rule.name)}' allows ${quoted(asker.users)} no clusters in namespace '${cut(namespace.name)}'; ${possible(before, asker)}`;
  return { findings: [forbidden({ rule: RULE, path, value: namespace.name, message })], allowReach: false };
}

/** Whether every part of a rule that is given holds. */
export function applies(rule: NamespaceRule, asker: Asker, namespace: NamespaceFacts): boolean {
  return (
    concerns(rule, asker) &&
    matchesSome(rule.namespaces, [namespace.name]) &&
    Object.entries(rule.namespaceLabels ?? {}).every(
      ([key, value]) => Object.hasOwn(namespace.labels, key) && namespace.labels[key] === value,
    )
  );
}

function concerns(rule: NamespaceRule, { users, groups }: Asker): boolean {
  return matchesSome(rule.users, users) && matchesSome(rule.groups, groups);
}

function askerOf({ policy, requester, owner }: NamespaceQuery): Asker {
  const named =
    owner !== undefined && owner !== requester.username && isTrustedDeployer(policy, requester.username);
  return { users: [requester.username, ...(named ? [owner] : [])], groups: requester.groups };
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${cut(name)}'`).join(' for ');
}

function possible(rules: readonly NamespaceRule[], asker: Asker): string {
  const places = rules
    .filter((rule) => rule.action === 'Allow' && concerns(rule, asker))
    .map(placeOf)
    .slice(0, MOST_PLACES);
  return places.length === 0
    ? 'ask whoever runs daskwarden for a rule that allows it'
    : `possible are ${places.join(', or ')}`;
}

function placeOf({ namespaces, namespaceLabels = {} }: NamespaceRule): string {
  const names = namespaces?.slice(0, MOST_PLACES).map((name) => `'${cut(name)}'`);
  const labels = Object.entries(namespaceLabels).map(([key, value]) => `${cut(key)}=${cut(value)}`);
  return [
    names === undefined ? 'namespaces' : `namespaces ${names.join(', ')}`,
    ...(labels.length === 0 ? [] : [`labelled ${labels.slice(0, MOST_PLACES).join(', ')}`]),
  ].join(' ');
}
