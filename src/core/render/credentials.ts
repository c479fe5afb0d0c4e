import type { Container, Pod, PodSpec } from '../../api/kubernetes.ts';
import {
  COMPONENT_LABEL,
  CREDENTIALS_MOUNT_PATH,
  CREDENTIALS_VOLUME,
  credentialsSecretName,
  ROLE_COMPONENT,
  type Role,
} from '../../api/names.ts';
import { daskContainerOfPod, type DaskContainer } from '../dask-container.ts';
import { append, type JsonPatchOperation } from '../json-patch.ts';
import { CREDENTIALS_ENVIRONMENT } from './environment.ts';

/** The role that a pod's component label claims, or undefined where it is neither scheduler nor worker. */
export function roleOfPod(pod: { readonly metadata: Pod['metadata'] }): Role | undefined {
  const component = pod.metadata.labels?.[COMPONENT_LABEL];
  if (component === ROLE_COMPONENT.scheduler) return 'scheduler';
  if (component === ROLE_COMPONENT.worker) return 'worker';
  return undefined;
}

/**
 * What must be added to a scheduler's or worker's pod so that it holds its cluster's credentials: the volume, its
 * mount and the environment of the Dask container. Adds only what is absent, at the end of each list, and so is
 * empty for a pod that has all of it; other containers are untouched.
 * @param cluster name of the pod's DaskCluster
 * @returns RFC 6902 operations; none where the pod has no recognisable Dask container
 */
export function credentialsPatch(pod: Pod, cluster: string): readonly JsonPatchOperation[] {
  const target = daskContainerOf(pod);
  if (target === undefined) return [];
  const { index, container } = target;
  const at = ['spec', 'containers', index] as const;
  return [
    ...append(['spec', 'volumes'], pod.spec.volumes, missingVolume(pod.spec, cluster)),
    ...append([...at, 'volumeMounts'], container.volumeMounts, missingMount(container)),
    ...append([...at, 'env'], container.env, missingVariables(container)),
  ];
}

/** Whether the Dask container of a pod as the API server returned it can read its credentials. */
export function hasCredentials(pod: Pod, cluster: string): boolean {
  return daskContainerOf(pod) !== undefined && credentialsPatch(pod, cluster).length === 0;
}

function daskContainerOf(pod: Pod): DaskContainer | undefined {
  const role = roleOfPod(pod);
  return role === undefined ? undefined : daskContainerOfPod(pod, role);
}

function missingVolume(spec: PodSpec, cluster: string): readonly unknown[] {
  if (spec.volumes?.some((volume) => volume.name === CREDENTIALS_VOLUME) === true) return [];
  return [{ name: CREDENTIALS_VOLUME, secret: { secretName: credentialsSecretName(cluster) } }];
}

function missingMount(container: Container): readonly unknown[] {
  const mounted = container.volumeMounts?.some((mount) => mount.name === CREDENTIALS_VOLUME) === true;
  return mounted ? [] : [{ name: CREDENTIALS_VOLUME, mountPath: CREDENTIALS_MOUNT_PATH, readOnly: true }];
}

function missingVariables(container: Container): readonly unknown[] {
  const present = new Set(container.env?.map((variable) => variable.name));
  return CREDENTIALS_ENVIRONMENT.filter((variable) => !present.has(variable.name));
}
