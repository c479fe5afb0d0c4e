import type { KubeObject, OwnerReference, Secret } from '../../api/kubernetes.ts';
import {
  APP_NAME_LABEL,
  CONNECT_CLUSTER_ANNOTATION,
  CONNECT_CLUSTER_UID_ANNOTATION,
  CONNECT_LABEL,
  connectSecretName,
  MANAGED_BY,
  MANAGED_BY_LABEL,
} from '../../api/names.ts';
import { CONNECT_KEYS } from './connect.ts';
import type { Identity } from './owner.ts';

export interface MirrorInput {
  readonly cluster: Identity;
  /** The cluster's own Secret. */
  readonly source: Secret;
  /** Where the clients are. */
  readonly namespace: string;
  /** The clients, all in that namespace. */
  readonly pods: readonly KubeObject[];
  /** What is stored, where something is. */
  readonly stored?: Secret | undefined;
}

/** An owner more costs a write: so many keep the copy alive long enough for the next one to be entered. */
const MOST_OWNERS = 10;

/**
 * The copy of a cluster's certificate and key for the clients of another namespace. The clients own it, so that
 * Kubernetes removes it with the last of them also while the controller is away: Secrets are never listed, and nothing
 * else would find it again.
 * @returns undefined where the source has no certificate or no key
 */
export function renderMirror({ cluster, source, namespace, pods, stored }: MirrorInput): Secret | undefined {
  const data = Object.fromEntries(CONNECT_KEYS.map((key) => [key, source.data?.[key]]));
  if (Object.values(data).includes(undefined)) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: connectSecretName(cluster.namespace, cluster.name),
      namespace,
      labels: {
        [APP_NAME_LABEL]: 'dask',
        [MANAGED_BY_LABEL]: MANAGED_BY,
        [CONNECT_LABEL]: `${cluster.namespace}.${cluster.name}`,
      },
      annotations: {
        [CONNECT_CLUSTER_ANNOTATION]: `${cluster.namespace}/${cluster.name}`,
        [CONNECT_CLUSTER_UID_ANNOTATION]: cluster.uid,
      },
      ownerReferences: ownersOf(pods, stored),
    },
    type: 'Opaque',
    data: data as Readonly<Record<string, string>>,
  };
}

/** Whether a Secret is our copy for this cluster's name, of whichever incarnation. */
export function isMirrorOf({ metadata }: KubeObject, cluster: Pick<Identity, 'name' | 'namespace'>): boolean {
  return (
    metadata.labels?.[MANAGED_BY_LABEL] === MANAGED_BY &&
    metadata.annotations?.[CONNECT_CLUSTER_ANNOTATION] === `${cluster.namespace}/${cluster.name}`
  );
}

/** Those that are entered and live stay, in their order; so many others are added as there is room for. */
function ownersOf(pods: readonly KubeObject[], stored: Secret | undefined): readonly OwnerReference[] {
  const live = new Map(pods.map(({ metadata: { name = '', uid = '' } }) => [uid, name]));
  const kept = stored?.metadata.ownerReferences?.flatMap(({ uid }) => (live.has(uid) ? [uid] : [])) ?? [];
  return [...new Set([...kept, ...live.keys()])]
    .slice(0, MOST_OWNERS)
    .map((uid) => ({ apiVersion: 'v1', kind: 'Pod', name: live.get(uid) ?? '', uid }));
}
