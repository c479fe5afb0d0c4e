import { FieldPath } from '../../api/field-path.ts';
import type { Pod } from '../../api/kubernetes.ts';
import {
  CLUSTER_LABEL,
  CONNECT_LABEL,
  CONNECT_VERB,
  CREDENTIALS_MOUNT_PATH,
  CREDENTIALS_VOLUME,
  DASK_CLUSTER_PLURAL,
  GATEWAY_GROUP,
} from '../../api/names.ts';
import { cut, forbidden, invalid, type Finding } from '../findings.ts';
import { connectVolume, isConnectVolume, occupiedMounts } from '../render/connect.ts';
import { parseConnectLabel, type ConnectTarget } from './connect-target.ts';
import type { AccessQuestion, Requester } from './requester.ts';

export interface ConnectReview {
  readonly pod: Pod;
  /** The stored pod, on update. */
  readonly oldPod?: Pod | undefined;
  /** Where the pod is: its metadata need not say so yet. */
  readonly namespace: string;
  /** Whether the injection is over: then the volume must be there. */
  readonly isFinal: boolean;
}

export interface ConnectVerdict {
  readonly findings: readonly Finding[];
  /** The cluster that access must be reviewed for; absent where there is nothing to give, or a finding is enough. */
  readonly target?: ConnectTarget;
}

const RULE = 'connect';
const LABEL_PATH = FieldPath.of('metadata', 'labels').key(CONNECT_LABEL);

/** Whether a pod's label, volumes and mounts are such that it can be made a client of the cluster that it names. */
export function judgeConnect({ pod, oldPod, namespace, isFinal }: ConnectReview): ConnectVerdict {
  const value = pod.metadata.labels?.[CONNECT_LABEL];
  if (value === undefined) return { findings: [] };
  if (oldPod !== undefined) return { findings: judgeUpdate(value, oldPod) };
  const cluster = pod.metadata.labels?.[CLUSTER_LABEL];
  if (cluster !== undefined) {
    const message = `the label '${CLUSTER_LABEL}' says that the pod is a part of '${cut(cluster)}', and no pod is a client too; remove one of the two`;
    return { findings: [forbidden({ rule: RULE, path: LABEL_PATH, value, message })] };
  }
  const target = parseConnectLabel(value, namespace);
  if (target === undefined) {
    const message = `must be the name of a DaskCluster of this namespace, or '<namespace>.<name>' for one of another`;
    return { findings: [invalid({ rule: RULE, path: LABEL_PATH, value, message })] };
  }
  const findings = [...judgeVolume(pod, target, isFinal), ...judgeMounts(pod)];
  return findings.length === 0 ? { findings, target } : { findings };
}

/** What the API server is asked about a client. */
export function connectQuestion({ namespace, cluster }: ConnectTarget): AccessQuestion {
  return {
    verb: CONNECT_VERB,
    group: GATEWAY_GROUP,
    resource: DASK_CLUSTER_PLURAL,
    namespace,
    name: cluster,
  };
}

/**
 * Who must have access: whoever creates a pod; for a pod with an owner, which a controller creates for somebody, the
 * pod's own service account. That somebody names an owner themselves gains nothing: who may create a pod may run it
 * under every service account of its namespace.
 */
export function connectSubject(pod: Pod, namespace: string, requester: Requester): Requester {
  const owners: unknown = pod.metadata.ownerReferences ?? [];
  if (!Array.isArray(owners) || owners.length === 0) return requester;
  const { serviceAccountName, serviceAccount } = pod.spec;
  const account = [serviceAccountName, serviceAccount].find(
    (name) => typeof name === 'string' && name !== '',
  );
  return {
    username: `system:serviceaccount:${namespace}:${account ?? 'default'}`,
    uid: '',
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra: {},
  };
}

/** What it means that the API server said no. */
export function connectRefused(subject: Requester, { namespace, cluster }: ConnectTarget): Finding {
  return forbidden({
    rule: RULE,
    path: LABEL_PATH,
    value: `${namespace}.${cluster}`,
    message: `'${cut(subject.username)}' may not connect to DaskCluster '${cluster}' in namespace '${namespace}'; it needs the verb '${CONNECT_VERB}' on ${DASK_CLUSTER_PLURAL}.${GATEWAY_GROUP} there`,
  });
}

function judgeUpdate(value: string, oldPod: Pod): readonly Finding[] {
  if (oldPod.metadata.labels?.[CONNECT_LABEL] === value) return [];
  const message =
    'may not be set or changed on a pod that exists, whose volumes are what they are; delete the pod and create it with the label';
  return [forbidden({ rule: RULE, path: LABEL_PATH, value, message })];
}

function judgeVolume(pod: Pod, target: ConnectTarget, isFinal: boolean): readonly Finding[] {
  const volume = connectVolume(pod);
  if (volume === undefined) {
    const message = `the volume '${CREDENTIALS_VOLUME}' was not added or was taken out again; create the pod anew, or without the label`;
    return isFinal
      ? [forbidden({ rule: RULE, path: LABEL_PATH, value: pod.metadata.labels?.[CONNECT_LABEL], message })]
      : [];
  }
  if (isConnectVolume(volume, target.secretName)) return [];
  const index = pod.spec.volumes?.indexOf(volume) ?? 0;
  return [
    forbidden({
      rule: RULE,
      path: FieldPath.of('spec', 'volumes').index(index, volume.name).child('name'),
      value: volume.name,
      message: `in a pod with the label '${CONNECT_LABEL}' this is the name of the volume that is added for it; choose another name`,
    }),
  ];
}

function judgeMounts(pod: Pod): readonly Finding[] {
  const containers = FieldPath.of('spec', 'containers');
  return occupiedMounts(pod).map(({ container, mount }) =>
    invalid({
      rule: RULE,
      path: containers
        .index(container, pod.spec.containers[container]?.name)
        .child('volumeMounts')
        .index(mount, CREDENTIALS_MOUNT_PATH)
        .child('mountPath'),
      value: CREDENTIALS_MOUNT_PATH,
      message: "holds the cluster's credentials in a pod that is a client; mount elsewhere",
    }),
  );
}
