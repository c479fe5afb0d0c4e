import type { KubeObject, Pod, Service } from '../../api/kubernetes.ts';
import type { Role } from '../../api/names.ts';

/** One write to the API server, as data. The shell executes a plan's actions in order and stops at the first error. */
export type Action =
  /** Makes the cluster's key, certificate and token and stores them; never overwrites a Secret that exists. */
  | { readonly kind: 'create-credentials'; readonly secretName: string }
  /** Puts the very same bytes back that this process had stored before. */
  | { readonly kind: 'restore-credentials'; readonly secretName: string }
  | { readonly kind: 'delete-credentials'; readonly secretName: string }
  | { readonly kind: 'create-service'; readonly service: Service }
  | { readonly kind: 'create-pod'; readonly role: Role; readonly pod: Pod }
  | { readonly kind: 'delete-service'; readonly target: Target }
  | { readonly kind: 'delete-pod'; readonly target: Target; readonly reason: DeletionReason };

/** An object to be deleted: the very one that was seen, and no successor of the same name. */
export interface Target {
  readonly name: string;
  readonly uid: string;
}

export type DeletionReason =
  'Stopped' | 'Failed' | 'ScaledDown' | 'Retired' | 'Replaced' | 'SchedulerGone' | 'Expired';

/** A Kubernetes Event about the DaskCluster; emitted after the plan was executed. */
export interface ClusterEvent {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase. */
  readonly reason: string;
  readonly note: string;
}

/** @throws TypeError for an object that the API server has not stored yet */
export function targetOf(object: KubeObject): Target {
  const { name, uid } = object.metadata;
  if (name === undefined || uid === undefined) throw new TypeError('only a stored object can be deleted');
  return { name, uid };
}
