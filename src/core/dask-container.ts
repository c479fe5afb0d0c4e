import type { Container } from '../api/kubernetes.ts';
import { ROLE_COMPONENT, type Role } from '../api/names.ts';

/**
 * Which container of a pod runs Dask: the one named after the role, else the only one.
 * @returns its index, or undefined where the pod leaves it open
 */
export function daskContainerIndex(containers: readonly Container[], role: Role): number | undefined {
  const named = containers.findIndex((container) => container.name === ROLE_COMPONENT[role]);
  if (named >= 0) return named;
  return containers.length === 1 ? 0 : undefined;
}
