import type { Container, Pod, PodSpec, Volume } from '../../api/kubernetes.ts';
import {
  CERTIFICATE_KEY,
  CLUSTER_LABEL,
  CREDENTIALS_MOUNT_PATH,
  CREDENTIALS_VOLUME,
  PRIVATE_KEY_KEY,
  SCHEDULER_PORT,
  serviceName,
} from '../../api/names.ts';
import type { ConnectTarget } from '../identity/connect-target.ts';
import { append, type JsonPatchOperation } from '../json-patch.ts';
import { isObject } from '../structure/json.ts';
import { CREDENTIALS_ENVIRONMENT } from './environment.ts';

/**
 * What must be added to a pod so that each of its containers is a client of a cluster: the volume with certificate and
 * key, its mount and the environment. Adds only what is absent, at the end of each list. Init containers get nothing:
 * they prepare, and what runs beside the containers (a proxy) is no client. Nor do pods that are a cluster's own.
 */
export function connectPatch(pod: Pod, target: ConnectTarget): readonly JsonPatchOperation[] {
  if (pod.metadata.labels?.[CLUSTER_LABEL] !== undefined) return [];
  const { volumes } = pod.spec;
  const volume = connectVolume(pod) === undefined ? [volumeOf(target)] : [];
  return [
    ...append(['spec', 'volumes'], volumes, volume),
    ...containersOf(pod).flatMap((container, index) => {
      const at = ['spec', 'containers', index] as const;
      const mount = isMounted(container) ? [] : [MOUNT];
      return [
        ...append([...at, 'volumeMounts'], container.volumeMounts, mount),
        ...append([...at, 'env'], container.env, missingVariables(container, target)),
      ];
    }),
  ];
}

/** The volume of the credentials' name, whoever wrote it. */
export function connectVolume(pod: Pod): Volume | undefined {
  return pod.spec.volumes?.find(({ name }) => name === CREDENTIALS_VOLUME);
}

/** Whether a volume holds certificate and key of a Secret, and nothing else. */
export function isConnectVolume(volume: Volume, secretName: string): boolean {
  const { secret } = volume;
  const items: unknown = secret?.items;
  if (secret?.secretName !== secretName || !Array.isArray(items) || !items.every(isObject)) return false;
  const keys = new Set(items.map(({ key, path }) => (key === path ? key : undefined)));
  return keys.size === CONNECT_KEYS.length && CONNECT_KEYS.every((key) => keys.has(key));
}

/** By their positions: the mounts of something else in the credentials' place. */
export function occupiedMounts(pod: Pod): readonly { readonly container: number; readonly mount: number }[] {
  return containersOf(pod).flatMap((container, index) =>
    (container.volumeMounts ?? []).flatMap(({ name, mountPath }, mount) =>
      name !== CREDENTIALS_VOLUME && isPlace(mountPath) ? [{ container: index, mount }] : [],
    ),
  );
}

const MOUNT = { name: CREDENTIALS_VOLUME, mountPath: CREDENTIALS_MOUNT_PATH, readOnly: true };

/** What a client may have: with the token too, it could stop the cluster. */
export const CONNECT_KEYS = [CERTIFICATE_KEY, PRIVATE_KEY_KEY] as const;

/** Of the TLS environment, what a client reads. */
const CLIENT_ENVIRONMENT = CREDENTIALS_ENVIRONMENT.filter(({ name }) => !/__(SCHEDULER|WORKER)__/.test(name));

function volumeOf({ secretName }: ConnectTarget): Volume {
  return {
    name: CREDENTIALS_VOLUME,
    secret: { secretName, items: CONNECT_KEYS.map((key) => ({ key, path: key })) },
  };
}

function missingVariables(container: Container, { namespace, cluster }: ConnectTarget): readonly unknown[] {
  const present = new Set(container.env?.map(({ name }) => name));
  // Where `Client()` looks when it is given no address.
  const address = `tls://${serviceName(cluster)}.${namespace}:${String(SCHEDULER_PORT)}`;
  const wanted = [...CLIENT_ENVIRONMENT, { name: 'DASK_SCHEDULER_ADDRESS', value: address }];
  return wanted.filter(({ name }) => !present.has(name));
}

function isMounted(container: Container): boolean {
  return (
    container.volumeMounts?.some(
      ({ name, mountPath }) => name === CREDENTIALS_VOLUME && isPlace(mountPath),
    ) === true
  );
}

/** The API server compares mount paths as they are written. */
function isPlace(mountPath: unknown): boolean {
  return mountPath === CREDENTIALS_MOUNT_PATH;
}

function containersOf(pod: Pod): readonly Container[] {
  return (pod.spec as Partial<PodSpec>).containers ?? [];
}
