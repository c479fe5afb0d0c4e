import type { KubeObject } from '../api/kubernetes.ts';

/** `namespace/name`, or the name alone of a cluster-scoped object. */
export type ObjectKey = string;

export function objectKey(object: KubeObject): ObjectKey {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? (name ?? '') : `${namespace}/${name ?? ''}`;
}

/** UID of the object that manages this one; undefined when none does. */
export function controllerUid(object: KubeObject): string | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true)?.uid;
}
