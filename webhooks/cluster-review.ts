import { isDeepStrictEqual } from 'node:util';
import { formOf, type DaskCluster } from '../src/api/dask-cluster.ts';
import { REQUESTED_BY_ANNOTATION } from '../src/api/names.ts';
import type { Finding } from '../src/core/findings.ts';
import { judgeNamespace } from '../src/core/identity/namespace-rules.ts';
import { ownerOf } from '../src/core/identity/owner.ts';
import { judgePlacementAnswers, placementQuestions } from '../src/core/identity/placement.ts';
import { podSecurityOf } from '../src/core/identity/pod-security-level.ts';
import { judgeRequestedBy, requestedByPatch } from '../src/core/identity/requested-by.ts';
import type { NamespaceFacts } from '../src/api/namespace-facts.ts';
import type { AccessQuestion } from '../src/core/identity/requester.ts';
import { isTrustedDeployer } from '../src/core/identity/trusted-deployer.ts';
import { judgeLimits } from '../src/core/limits/judge-limits.ts';
import { applyPolicy, enforcementOf } from '../src/core/policy/apply.ts';
import type { Policy } from '../src/core/policy/policy.ts';
import { judgeReach } from '../src/core/rules/reach/judge-reach.ts';
import type { JsonObject } from '../src/core/structure/json.ts';
import type { AdmissionContext } from './admission-context.ts';
import { type Decision, decisionOf } from './decision.ts';
import type { AdmissionRequest } from './review.ts';

export type ClusterRequest = AdmissionRequest & { readonly object: JsonObject };

/** A review with what is known of it, once the object itself is judged. */
interface Judged {
  readonly request: ClusterRequest;
  readonly policy: Policy;
  readonly namespace: NamespaceFacts;
  /** As it would be stored, without its unsound parts. */
  readonly cluster: DaskCluster;
  readonly oldCluster: DaskCluster | undefined;
  readonly owner: string;
}

/**
 * What is found in an object, and what its requester may not do with it: all at once, at the levels configured.
 * @param isFinal whether what is allowed now will be stored: it is counted from now on
 */
export async function judgeClusterReview(
  request: ClusterRequest,
  context: AdmissionContext,
  { isFinal }: { readonly isFinal: boolean },
): Promise<Decision> {
  const policy = context.policy();
  const namespace = (await context.namespaceOf(request.namespace)) ?? factsOf(request.namespace);
  const { object, oldObject } = request;
  const verdict = await context.judge({
    object,
    ...(oldObject && { oldObject }),
    policy,
    podSecurity: podSecurityOf(namespace.labels),
  });
  const cluster = asStored(verdict.sound, request);
  const oldCluster = verdict.oldSound;
  const owner = ownerOf({ cluster, policy, namespace });
  const judged = { request, policy, namespace, cluster, oldCluster, owner };
  const ofRequester = await judgeRequester(judged, context, isFinal);
  // From here on in one turn: what is counted must be what is reserved.
  const findings = [...verdict.findings, ...ofRequester, ...judgeUsage(judged, context)];
  const levelled = applyPolicy(findings, {
    policy,
    enforcement: enforcementOf(policy, namespace.labels),
    softened: isSoftened(judged),
  });
  const decision = decisionOf(levelled, findings);
  if (decision.allowed && isFinal && !request.dryRun && cluster.metadata.name !== undefined) {
    context.usage.reserve({ cluster, owner, replaces: oldCluster?.metadata.resourceVersion });
  }
  return decision;
}

async function judgeRequester(
  judged: Judged,
  context: AdmissionContext,
  isFinal: boolean,
): Promise<readonly Finding[]> {
  const { request, policy, namespace, owner } = judged;
  const { requester } = request;
  const place = judgeNamespace({ policy, requester, namespace, owner });
  const [placement, reach] = await Promise.all([
    judgePlace(judged, context),
    place.allowReach ? [] : judgeReachOf(judged, context),
  ]);
  return [
    ...judgeOrigin(request, isFinal),
    // Whoever may write here may stop what is here, whatever the rules say of new clusters.
    ...(request.operation === 'CREATE' || isResumed(judged) ? place.findings : []),
    ...placement,
    ...reach,
  ];
}

/** What the mutating half is about to put back is not missing. */
function judgeOrigin({ object, oldObject, requester }: ClusterRequest, isFinal: boolean): readonly Finding[] {
  const { username } = requester;
  const isPutBack = !isFinal && requestedByPatch(object, oldObject, username).length > 0;
  return isPutBack ? [] : judgeRequestedBy(object, oldObject, username);
}

async function judgePlace(
  judged: Judged,
  { mayDo, namespaceOf }: AdmissionContext,
): Promise<readonly Finding[]> {
  const { cluster, oldCluster, policy, request } = judged;
  if (samePlace(cluster, oldCluster)) return [];
  const { requester } = request;
  const elsewhere = cluster.spec.placement?.namespace;
  const target = elsewhere === undefined ? undefined : await namespaceOf(elsewhere);
  const { questions, findings } = placementQuestions({ cluster, requester, policy, target });
  const answers = await Promise.all(questions.map((question) => mayDo(requester, question)));
  return [...findings, ...judgePlacementAnswers(requester, questions, answers)];
}

/** Nobody is asked about where there is nothing to allow: the most clusters reach for nothing. */
async function judgeReachOf(judged: Judged, { mayDo }: AdmissionContext): Promise<readonly Finding[]> {
  const { cluster, oldCluster, policy, request } = judged;
  if (oldCluster !== undefined && sameTemplates(cluster, oldCluster)) return [];
  const findings = judgeReach(cluster, policy, oldCluster);
  if (!findings.some(({ level }) => level === 'error')) return findings;
  // What dask-gateway renders is its operator's configuration, who could have any pod made anyhow.
  if (isOfGateway(judged)) return [];
  // What a deployer may do would be everybody's who can have it write a cluster.
  if (isTrustedDeployer(policy, request.requester.username)) return findings;
  const question: AccessQuestion = {
    verb: 'create',
    group: '',
    resource: 'pods',
    namespace: request.namespace,
    name: '',
  };
  return (await mayDo(request.requester, question)) ? [] : findings;
}

function judgeUsage(
  { cluster, oldCluster, owner, policy, request }: Judged,
  { usage }: AdmissionContext,
): readonly Finding[] {
  const tenancy = { owner, namespace: request.namespace };
  const beside = usage.usageBeside(cluster.metadata.name ?? '', tenancy);
  return judgeLimits({ cluster, oldCluster, owner, policy, usage: beside });
}

/** dask-gateway's API server answers a denial with a bare 500: its clusters end as Failed, with the reason. */
function isSoftened(judged: Judged): boolean {
  return judged.policy.gatewayForm.onInvalid === 'Fail' && isOfGateway(judged);
}

function isOfGateway({ cluster, policy, request }: Judged): boolean {
  return (
    formOf(cluster.spec) === 'gateway' && policy.gatewayForm.accounts.includes(request.requester.username)
  );
}

/** With the namespace of the request, and on create with the requester's name, whichever half adds it. */
function asStored(sound: DaskCluster, { operation, namespace, requester }: ClusterRequest): DaskCluster {
  const { metadata } = sound;
  const annotations =
    operation === 'CREATE' && metadata.annotations?.[REQUESTED_BY_ANNOTATION] === undefined
      ? { ...metadata.annotations, [REQUESTED_BY_ANNOTATION]: requester.username }
      : metadata.annotations;
  return {
    ...sound,
    metadata: { ...metadata, namespace, ...(annotations !== undefined && { annotations }) },
  };
}

function isResumed({ cluster, oldCluster }: Judged): boolean {
  return oldCluster?.spec.active === false && cluster.spec.active !== false;
}

function samePlace(cluster: DaskCluster, oldCluster: DaskCluster | undefined): boolean {
  return (
    oldCluster !== undefined &&
    JSON.stringify(cluster.spec.placement) === JSON.stringify(oldCluster.spec.placement)
  );
}

/** An update of anything else reaches no further than before. */
function sameTemplates({ spec }: DaskCluster, { spec: old }: DaskCluster): boolean {
  return (
    isDeepStrictEqual(spec.config, old.config) &&
    isDeepStrictEqual(spec.scheduler?.template, old.scheduler?.template) &&
    isDeepStrictEqual(spec.worker?.template, old.worker?.template)
  );
}

function factsOf(name: string): NamespaceFacts {
  return { name, labels: {}, annotations: {} };
}
