import {
  APP_NAME_LABEL,
  CLUSTER_LABEL,
  COMPONENT_LABEL,
  INSTANCE_LABEL,
  MANAGED_BY,
  MANAGED_BY_LABEL,
  type Component,
} from '../../api/names.ts';

/** What is common to every child of every cluster of one installation. */
export interface Installation {
  /** Value of the instance label; dask-gateway's API server and its Traefik select by it. */
  readonly instance: string;
}

/** The labels that select one component's objects of one cluster, and nothing else. */
export function selectorLabels(
  installation: Installation,
  cluster: string,
  component: Component,
): Readonly<Record<string, string>> {
  return {
    [CLUSTER_LABEL]: cluster,
    [INSTANCE_LABEL]: installation.instance,
    [COMPONENT_LABEL]: component,
  };
}

/** All labels of a child. */
export function childLabels(
  installation: Installation,
  cluster: string,
  component: Component,
): Readonly<Record<string, string>> {
  return {
    [APP_NAME_LABEL]: 'dask',
    [MANAGED_BY_LABEL]: MANAGED_BY,
    ...selectorLabels(installation, cluster, component),
  };
}

/** A selector in the text form of `kubectl -l`. */
export function selectorText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
