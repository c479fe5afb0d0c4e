import { inject, onTestFinished } from 'vitest';
import type { KubeObject, Pod, Resource } from '../../src/api/kubernetes.ts';
import { KubeClient } from '../../src/kube/client.ts';
import type { ClusterAccess } from '../../src/kube/config.ts';
import { kubeconfigAccess } from '../../src/kube/kubeconfig.ts';

/** A client that ends with the test. */
export function clientOf(access: ClusterAccess): KubeClient {
  const client = new KubeClient({ access, version: 'test' });
  onTestFinished(() => client.close());
  return client;
}

/** An administrator's client of the run's control plane; it ends with the test. */
export async function adminClient(): Promise<KubeClient> {
  return clientOf(await kubeconfigAccess({ path: inject('kubeconfigPath') }));
}

/** A namespaced resource of the core group. */
export function coreResource(plural: string, kind: string): Resource {
  return { group: '', version: 'v1', plural, kind, namespaced: true };
}

export const CONFIG_MAPS = coreResource('configmaps', 'ConfigMap');

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export function configMap(namespace: string, name: string, data: Record<string, string> = {}): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data };
}

/** A pod that no node takes: it stays as it is. */
export function unschedulablePod(namespace: string, name: string): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name },
    spec: { containers: [{ name: 'c', image: 'none' }], nodeSelector: { nowhere: 'true' } },
  };
}
