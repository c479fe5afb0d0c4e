import { FieldPath } from '../api/field-path.ts';
import type { KubeObject } from '../api/kubernetes.ts';
import { CLUSTER_LABEL, COMPONENT_LABEL, CONNECT_LABEL, INSTANCE_LABEL } from '../api/names.ts';
import { forbidden, type Finding } from './findings.ts';
import { roleOfPod } from './render/credentials.ts';

export interface PodReview {
  readonly pod: KubeObject;
  /** The stored pod, on update. */
  readonly oldPod?: KubeObject | undefined;
  /** Who asks, as the API server authenticated it. */
  readonly username: string;
  /** The accounts that may create schedulers and workers: our controller, during a migration dask-gateway's. */
  readonly podCreators: Iterable<string>;
}

const SELECTED_BY = [CLUSTER_LABEL, INSTANCE_LABEL, COMPONENT_LABEL] as const;

/**
 * A pod with a cluster's labels is selected by the cluster's Service, so that clients and workers talk to it, and gets
 * the cluster's credentials injected: only the controller may create one, and nobody may turn a pod into one. None of
 * them is a cluster's client at the same time, whoever creates it.
 */
export function judgePod(review: PodReview): readonly Finding[] {
  return [...judgePosing(review), ...judgeClient(review)];
}

function judgePosing({ pod, oldPod, username, podCreators }: PodReview): readonly Finding[] {
  if (new Set(podCreators).has(username)) return [];
  if (!poses(pod) && (oldPod === undefined || !poses(oldPod))) return [];
  const path = FieldPath.of('metadata', 'labels');
  if (oldPod === undefined) {
    return [
      forbidden({
        rule: 'posing',
        path: path.key(COMPONENT_LABEL),
        value: pod.metadata.labels?.[COMPONENT_LABEL],
        message: `only the controller may create a pod that is a scheduler or worker of '${String(pod.metadata.labels?.[CLUSTER_LABEL])}'; remove the label '${COMPONENT_LABEL}' or '${CLUSTER_LABEL}'`,
      }),
    ];
  }
  return SELECTED_BY.filter((key) => pod.metadata.labels?.[key] !== oldPod.metadata.labels?.[key]).map(
    (key) =>
      forbidden({
        rule: 'posing',
        path: path.key(key),
        value: pod.metadata.labels?.[key],
        message: 'only the controller may change the labels of a scheduler or worker',
      }),
  );
}

function judgeClient({ pod, oldPod }: PodReview): readonly Finding[] {
  const value = pod.metadata.labels?.[CONNECT_LABEL];
  const wasSo = oldPod !== undefined && poses(oldPod) && oldPod.metadata.labels?.[CONNECT_LABEL] === value;
  if (value === undefined || !poses(pod) || wasSo) return [];
  return [
    forbidden({
      rule: 'posing',
      path: FieldPath.of('metadata', 'labels').key(CONNECT_LABEL),
      value,
      message: "a scheduler or worker has its cluster's credentials already; remove the label",
    }),
  ];
}

function poses(pod: KubeObject): boolean {
  return pod.metadata.labels?.[CLUSTER_LABEL] !== undefined && roleOfPod(pod) !== undefined;
}
