import type { Container, Pod, PodSpec } from '../api/kubernetes.ts';
import { CONTAINER_LABEL, ROLE_COMPONENT, type Role } from '../api/names.ts';

/**
 * Which container of a pod template runs Dask: the one named after the role, else the only one.
 * @returns its index, or undefined where the template leaves it open
 */
export function daskContainerIndex(containers: readonly Container[], role: Role): number | undefined {
  const named = containers.findIndex((container) => container.name === ROLE_COMPONENT[role]);
  if (named >= 0) return named;
  return containers.length === 1 ? 0 : undefined;
}

export interface DaskContainer {
  readonly index: number;
  readonly container: Container;
}

/**
 * Which container of a pod runs Dask. The pod's label says it: other webhooks add sidecars, and what was the only
 * container of the template is then one of several. A pod without the label is looked at like a template.
 */
export function daskContainerOfPod(pod: Pod, role: Role): DaskContainer | undefined {
  const containers = (pod.spec as Partial<PodSpec>).containers ?? [];
  const candidates = containers.map((container, index) => ({ index, container }));
  const name = pod.metadata.labels?.[CONTAINER_LABEL];
  const conventional = daskContainerIndex(containers, role);
  return (
    candidates.find(({ container }) => container.name === name) ??
    candidates.find(({ index }) => index === conventional)
  );
}
