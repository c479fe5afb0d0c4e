import type { ContainerStatus, ObjectMeta, Pod } from '../api/kubernetes.ts';

/**
 * What a plan reads of a pod. The rest (environments, volumes, conditions of a hundred kinds) would be most of the
 * controller's memory at ten thousand pods.
 */
export function projectPod({ metadata, spec, status }: Pod): Pod {
  return {
    metadata: projectMetadata(metadata),
    spec: {
      containers: spec.containers.map(({ name }) => ({ name })),
      ...(spec.restartPolicy === undefined ? {} : { restartPolicy: spec.restartPolicy }),
      ...(spec.nodeName === undefined ? {} : { nodeName: spec.nodeName }),
    },
    status: {
      ...status,
      ...(status?.containerStatuses === undefined
        ? {}
        : { containerStatuses: status.containerStatuses.map(projectContainer) }),
    },
  };
}

function projectMetadata(metadata: ObjectMeta): ObjectMeta {
  const { annotations: _annotations, ...rest } = metadata;
  return rest;
}

function projectContainer({ name, ready, restartCount, state }: ContainerStatus): ContainerStatus {
  return {
    name,
    ...(ready === undefined ? {} : { ready }),
    ...(restartCount === undefined ? {} : { restartCount }),
    ...(state === undefined ? {} : { state }),
  };
}
