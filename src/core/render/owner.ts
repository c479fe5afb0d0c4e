import { DASK_CLUSTERS } from '../../api/dask-cluster.ts';
import type { KubeObject, OwnerReference } from '../../api/kubernetes.ts';
import { DASK_CLUSTER_API_VERSION, GATEWAY_GROUP } from '../../api/names.ts';

/** The parts of an object that a child is named and owned by. */
export interface Identity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

/** @throws TypeError for an object that the API server has not stored yet */
export function identityOf(object: KubeObject): Identity {
  const { name, namespace, uid } = object.metadata;
  if (name === undefined || namespace === undefined || uid === undefined) {
    throw new TypeError('the object has no name, namespace or uid: it does not come from an API server');
  }
  return { name, namespace, uid };
}

/** Children go with their DaskCluster, and `kubectl drain` accepts a pod only with a controller reference. */
export function ownerReference(owner: Identity): OwnerReference {
  return {
    apiVersion: DASK_CLUSTER_API_VERSION,
    kind: DASK_CLUSTERS.kind,
    name: owner.name,
    uid: owner.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

export function isControlledBy(object: KubeObject, uid: string): boolean {
  return (
    object.metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid) === true
  );
}

/** Whether an object belonged to an earlier DaskCluster of the same name: the garbage collector will remove it. */
export function isOfPredecessor(object: KubeObject, { name, uid }: Identity): boolean {
  return (
    object.metadata.ownerReferences?.some(
      (owner) =>
        owner.kind === DASK_CLUSTERS.kind &&
        owner.apiVersion.startsWith(`${GATEWAY_GROUP}/`) &&
        owner.name === name &&
        owner.uid !== uid,
    ) === true
  );
}
