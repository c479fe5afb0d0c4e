import { formOf, type DaskCluster } from '../../api/dask-cluster.ts';
import { OWNER_ANNOTATION, REQUESTED_BY_ANNOTATION } from '../../api/names.ts';
import type { NamespaceFacts } from '../../api/namespace-facts.ts';
import { isTrustedDeployer, type DeployerPolicy } from './trusted-deployer.ts';

export interface OwnerQuery {
  readonly cluster: DaskCluster;
  readonly policy: DeployerPolicy;
  /** The cluster's own; absent where it is not known (yet). */
  readonly namespace?: NamespaceFacts | undefined;
}

/** Kubernetes keeps names that begin with `system:` for itself: no authenticator gives such a one to a person. */
const NAMESPACE_OWNER_PREFIX = 'system:namespace:';

/** The owner of the clusters that nobody has asked for by name. */
export function namespaceOwner(namespace: string): string {
  return `${NAMESPACE_OWNER_PREFIX}${namespace}`;
}

/**
 * Whom a cluster counts for: the user who created it; for one that a trusted deployer wrote, `spec.username`, else the
 * namespace's annotation, else the namespace (`system:namespace:<name>`, which no user is called).
 *
 * A cluster without the annotation is older than daskwarden, or came while the webhook was away. Then anybody may have
 * written it: `spec.username` is believed in the gateway form alone, where dask-gateway's API server writes it.
 */
export function ownerOf({ cluster, policy, namespace }: OwnerQuery): string {
  const requestedBy = nonEmpty(cluster.metadata.annotations?.[REQUESTED_BY_ANNOTATION]);
  if (requestedBy !== undefined && !isTrustedDeployer(policy, requestedBy)) return requestedBy;
  const believed = requestedBy !== undefined || formOf(cluster.spec) === 'gateway';
  return (
    (believed ? personal(cluster.spec.username) : undefined) ??
    personal(namespace?.annotations[OWNER_ANNOTATION]) ??
    namespaceOwner(cluster.metadata.namespace ?? namespace?.name ?? '')
  );
}

/** A name that somebody wrote, unless it is one that only daskwarden gives. */
function personal(name: unknown): string | undefined {
  const given = nonEmpty(name);
  return given?.startsWith(NAMESPACE_OWNER_PREFIX) === true ? undefined : given;
}

function nonEmpty(name: unknown): string | undefined {
  return typeof name === 'string' && name !== '' ? name : undefined;
}
