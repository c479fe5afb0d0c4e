import type { DaskCluster, Placement } from '../../api/dask-cluster.ts';
import { FieldPath } from '../../api/field-path.ts';
import { DASKWARDEN_GROUP, EXTERNAL_CLUSTER_PLURAL } from '../../api/names.ts';
import { cut, forbidden, type Finding } from '../findings.ts';
import type { NamespaceRule, Policy } from '../policy/policy.ts';
import { matchesSome } from './glob.ts';
import { applies, judgeNamespace } from './namespace-rules.ts';
import type { NamespaceFacts } from '../../api/namespace-facts.ts';
import type { AccessQuestion, Requester } from './requester.ts';
import { isTrustedDeployer, type DeployerPolicy } from './trusted-deployer.ts';

export interface PlacementQuery {
  readonly cluster: DaskCluster;
  readonly requester: Requester;
  readonly policy: Pick<Policy, 'namespaces'> & DeployerPolicy;
  /** What is known of the namespace here that the cluster is placed in. */
  readonly target?: NamespaceFacts | undefined;
}

export interface PlacementQuestions {
  /** All of them must be answered with yes. */
  readonly questions: readonly AccessQuestion[];
  /** What is known without asking. */
  readonly findings: readonly Finding[];
}

const RULE = 'placement';
const PATH = FieldPath.of('spec', 'placement');
const NAMESPACE_PATH = PATH.child('namespace');
const EXTERNAL_PATH = PATH.child('externalCluster');

/**
 * What a requester must be allowed for the place that a cluster names: nothing for its own namespace; pods and Secrets
 * in another one here; the use of an external cluster. A trusted deployer is asked nothing, since all that it may do
 * would be everybody's who can have it write a cluster; it needs a rule for the namespace that the cluster comes from.
 * A namespace here that the controller is to make has no name yet to ask for: whether it makes any is the operator's.
 */
export function placementQuestions(query: PlacementQuery): PlacementQuestions {
  const { cluster, requester, policy } = query;
  const { externalCluster, namespace } = placementOf(cluster);
  const isElsewhere = namespace !== undefined && namespace !== cluster.metadata.namespace;
  if (externalCluster === undefined && !isElsewhere) return { questions: [], findings: [] };
  if (isTrustedDeployer(policy, requester.username)) return { questions: [], findings: ofDeployer(query) };
  if (externalCluster !== undefined) return { questions: [useOf(externalCluster)], findings: [] };
  const target = targetOf(query, namespace ?? '');
  return {
    questions: ['pods', 'secrets'].map((resource) => createIn(target.name, resource)),
    findings: judgeNamespace({ policy, requester, namespace: target, path: NAMESPACE_PATH }).findings,
  };
}

/**
 * What the refused ones of a cluster's questions mean.
 * @param allowed the answers, in the order of the questions
 */
export function judgePlacementAnswers(
  requester: Requester,
  questions: readonly AccessQuestion[],
  allowed: readonly boolean[],
): readonly Finding[] {
  return questions
    .filter((_, index) => allowed[index] !== true)
    .map((question) => refused(requester, question));
}

function placementOf({ spec }: DaskCluster): Pick<Placement, 'externalCluster' | 'namespace'> {
  const { externalCluster, namespace } = spec.placement ?? {};
  return {
    ...(externalCluster !== undefined && externalCluster !== '' && { externalCluster }),
    ...(namespace !== undefined && namespace !== '' && { namespace }),
  };
}

/** Without facts no rule that asks for labels applies. */
function targetOf({ target }: PlacementQuery, name: string): NamespaceFacts {
  return target?.name === name ? target : { name, labels: {}, annotations: {} };
}

function useOf(name: string): AccessQuestion {
  return {
    verb: 'use',
    group: DASKWARDEN_GROUP,
    resource: EXTERNAL_CLUSTER_PLURAL,
    namespace: '',
    name,
  };
}

function createIn(namespace: string, resource: string): AccessQuestion {
  return { verb: 'create', group: '', resource, namespace, name: '' };
}

function refused(
  { username }: Requester,
  { verb, resource, group, namespace, name }: AccessQuestion,
): Finding {
  const what = group === '' ? resource : `${resource}.${group}`;
  const isExternal = resource === EXTERNAL_CLUSTER_PLURAL;
  return forbidden({
    rule: RULE,
    path: isExternal ? EXTERNAL_PATH : NAMESPACE_PATH,
    value: isExternal ? name : namespace,
    message: isExternal
      ? `'${cut(username)}' may not ${verb} the external cluster '${cut(name)}'; leave it out, or ask for the verb '${verb}' on ${what}`
      : `'${cut(username)}' may not ${verb} ${what} in namespace '${cut(namespace)}'; leave it out, name a namespace where you may, or ask for that right`,
  });
}

function ofDeployer(query: PlacementQuery): readonly Finding[] {
  const { cluster, requester, policy } = query;
  const { externalCluster, namespace } = placementOf(cluster);
  const source = cluster.metadata.namespace ?? '';
  const asker = { users: [requester.username], groups: requester.groups };
  const rule = policy.namespaces.find(
    (candidate) => (candidate.action === 'Deny' || comesFrom(candidate, source)) && leadsTo(candidate),
  );
  if (rule?.action === 'Allow') return [];
  const from = `a trusted deployer may place clusters of namespace '${cut(source)}' only by a rule that allows it and names that one under sourceNamespaces`;
  return [
    forbidden({
      rule: RULE,
      path: namespace === undefined ? EXTERNAL_PATH : NAMESPACE_PATH,
      value: namespace ?? externalCluster,
      message: `${from}, and ${rule === undefined ? 'there is none for this place' : `the rule '${cut(rule.name)}' refuses this place`}; leave the placement out, or ask whoever runs daskwarden`,
    }),
  ];

  function leadsTo(candidate: NamespaceRule): boolean {
    if (namespace !== undefined) return applies(candidate, asker, targetOf(query, namespace));
    // The name is still to be made: only a rule for every namespace holds for it.
    const { namespaces = ['*'], ...anywhere } = candidate;
    return namespaces.includes('*') && applies(anywhere, asker, targetOf(query, ''));
  }
}

function comesFrom({ sourceNamespaces }: NamespaceRule, source: string): boolean {
  return sourceNamespaces !== undefined && matchesSome(sourceNamespaces, [source]);
}
