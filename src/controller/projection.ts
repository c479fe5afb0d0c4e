import type { Container, ContainerStatus, ObjectMeta, Pod } from '../api/kubernetes.ts';

/**
 * What a plan reads of a pod. The rest (environments, volumes, conditions of a hundred kinds) would be most of the
 * controller's memory at ten thousand pods.
 */
export function projectPod({ metadata, spec, status }: Pod): Pod {
  return {
    metadata: projectMetadata(metadata),
    spec: {
      containers: spec.containers.map(projectContainer),
      ...(spec.restartPolicy === undefined ? {} : { restartPolicy: spec.restartPolicy }),
      ...(spec.nodeName === undefined ? {} : { nodeName: spec.nodeName }),
    },
    status: {
      ...status,
      ...(status?.containerStatuses === undefined
        ? {}
        : { containerStatuses: status.containerStatuses.map(projectContainerStatus) }),
    },
  };
}

function projectMetadata(metadata: ObjectMeta): ObjectMeta {
  const { annotations: _annotations, ...rest } = metadata;
  return rest;
}

/** Besides its name, what decides whether the kubelet starts it again in place. */
function projectContainer({ name, restartPolicy, restartPolicyRules }: Container): Container {
  return {
    name,
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
    ...(restartPolicyRules === undefined ? {} : { restartPolicyRules }),
  };
}

function projectContainerStatus({ name, ready, restartCount, state }: ContainerStatus): ContainerStatus {
  return {
    name,
    ...(ready === undefined ? {} : { ready }),
    ...(restartCount === undefined ? {} : { restartCount }),
    ...(state === undefined ? {} : { state }),
  };
}
