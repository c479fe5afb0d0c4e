import { ownerOf } from '../src/core/identity/owner.ts';
import { judgeScale, withReplicas } from '../src/core/limits/judge-scale.ts';
import { applyPolicy, enforcementOf } from '../src/core/policy/apply.ts';
import { isObject, type JsonObject } from '../src/core/structure/json.ts';
import type { AdmissionContext } from './admission-context.ts';
import { allow, type Decision, decisionOf } from './decision.ts';
import type { AdmissionRequest } from './review.ts';

/** Judges a Scale, which carries a number alone: what its workers request is told by the cluster in the cache. */
export async function judgeScaleReview(
  request: AdmissionRequest,
  context: AdmissionContext,
  { isFinal }: { readonly isFinal: boolean },
): Promise<Decision> {
  const replicas = replicasOf(request.object);
  if (replicas === undefined) return allow();
  const policy = context.policy();
  const { namespace: name, name: clusterName } = request;
  const namespace = await context.namespaceOf(name);
  const cluster = context.clusterOf(name, clusterName);
  const owner = cluster && ownerOf({ cluster, policy, namespace });
  // From here on in one turn: what is counted must be what is reserved.
  const parent =
    cluster === undefined || owner === undefined
      ? undefined
      : { cluster, owner, usage: context.usage.usageBeside(clusterName, { owner, namespace: name }) };
  const oldReplicas = replicasOf(request.oldObject) ?? 0;
  const findings = judgeScale({ replicas, oldReplicas, parent, policy });
  const enforcement = enforcementOf(policy, namespace?.labels);
  const decision = decisionOf(applyPolicy(findings, { policy, enforcement, softened: false }), findings);
  if (decision.allowed && isFinal && !request.dryRun && parent !== undefined) {
    context.usage.reserve({
      cluster: withReplicas(parent.cluster, replicas),
      owner: parent.owner,
      replaces: versionOf(request.oldObject),
    });
  }
  return decision;
}

function versionOf(scale: JsonObject | undefined): string | undefined {
  const metadata = scale?.['metadata'];
  const version = isObject(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' ? version : undefined;
}

function replicasOf(scale: JsonObject | undefined): number | undefined {
  const spec = scale?.['spec'];
  if (!isObject(spec)) return undefined;
  const replicas = spec['replicas'] ?? 0;
  return typeof replicas === 'number' ? replicas : undefined;
}
