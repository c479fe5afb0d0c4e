import type { Pod } from '../../api/kubernetes.ts';
import { CLUSTER_LABEL, COMPONENT_LABEL } from '../../api/names.ts';

const GENERATE_NAME = 'daskwarden-check-';

/**
 * A pod that the caller may create: not one that poses as the cluster's, which admission refuses to everybody but the
 * controller, and with a name that is free.
 */
export function ownPod(pod: Pod, namespace: string): Pod {
  const { [CLUSTER_LABEL]: _cluster, [COMPONENT_LABEL]: _component, ...labels } = pod.metadata.labels ?? {};
  const { annotations } = pod.metadata;
  return {
    ...pod,
    metadata: {
      generateName: GENERATE_NAME,
      namespace,
      labels,
      ...(annotations === undefined ? {} : { annotations }),
    },
  };
}
