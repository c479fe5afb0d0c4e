import type { DaskCluster } from '../api/dask-cluster.ts';
import { REQUESTED_BY_ANNOTATION } from '../api/names.ts';
import type { NamespaceFacts } from '../api/namespace-facts.ts';
import type { Finding } from '../core/findings.ts';
import { judgeNamespace } from '../core/identity/namespace-rules.ts';
import { ownerOf } from '../core/identity/owner.ts';
import type { Policy } from '../core/policy/policy.ts';

const SERVICE_ACCOUNT = /^system:serviceaccount:(?<namespace>[^:]+):[^:]+$/u;

/**
 * What the configuration's namespace rules say to a stored cluster that an account of dask-gateway's wrote. A stored
 * object keeps the name of who wrote it and not the groups: those of a service account follow from its name, and with
 * any other account rules that name groups are none that can be held against it.
 */
export function namespaceFindings(
  cluster: DaskCluster,
  policy: Policy,
  namespace: NamespaceFacts | undefined,
): readonly Finding[] {
  const username = cluster.metadata.annotations?.[REQUESTED_BY_ANNOTATION];
  if (namespace === undefined || username === undefined) return [];
  if (!policy.gatewayForm.accounts.includes(username)) return [];
  const groups = groupsOf(username);
  if (groups === undefined && policy.namespaces.some((rule) => rule.groups !== undefined)) return [];
  const requester = { username, uid: '', groups: groups ?? [], extra: {} };
  return judgeNamespace({ policy, requester, namespace, owner: ownerOf({ cluster, policy, namespace }) })
    .findings;
}

function groupsOf(username: string): readonly string[] | undefined {
  const namespace = SERVICE_ACCOUNT.exec(username)?.groups?.['namespace'];
  return namespace === undefined
    ? undefined
    : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
}
