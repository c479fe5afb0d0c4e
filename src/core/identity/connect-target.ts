import { connectSecretName, credentialsSecretName } from '../../api/names.ts';

/** The cluster that a pod is to be a client of. */
export interface ConnectTarget {
  readonly namespace: string;
  readonly cluster: string;
  /** The Secret of the pod's own namespace that holds the cluster's certificate and key. */
  readonly secretName: string;
}

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/**
 * Reads the value of the label: `<cluster>` or `<namespace>.<cluster>`.
 * @param podNamespace where the pod is
 * @returns undefined for anything else
 */
export function parseConnectLabel(value: string, podNamespace: string): ConnectTarget | undefined {
  const parts = value.split('.');
  if (parts.length > 2 || !parts.every((part) => DNS_LABEL.test(part))) return undefined;
  const [namespace, cluster] = parts.length === 2 ? parts : [podNamespace, value];
  if (namespace === undefined || cluster === undefined) return undefined;
  const isHere = namespace === podNamespace;
  const secretName = isHere ? credentialsSecretName(cluster) : connectSecretName(namespace, cluster);
  return { namespace, cluster, secretName };
}
