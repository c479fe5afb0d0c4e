import { randomBytes } from 'node:crypto';
import type { KubeObject, Resource } from '../../src/api/kubernetes.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { kubeconfigAccess } from '../../src/kube/kubeconfig.ts';
import { coreResource } from './kube-client.ts';
import { poll } from './poll.ts';

export const NAMESPACES: Resource = { ...coreResource('namespaces', 'Namespace'), namespaced: false };

/** An administrator's client. */
export async function administrator(kubeconfigPath: string): Promise<KubeClient> {
  return new KubeClient({ access: await kubeconfigAccess({ path: kubeconfigPath }), version: 'test' });
}

/** Makes a namespace that is ready for pods. @returns its name */
export async function createNamespace(client: KubeClient): Promise<string> {
  const name = `test-${randomBytes(4).toString('hex')}`;
  const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await client.create(NAMESPACES, {}, namespace);
  const at = { namespace: name, name: 'default' };
  await poll(
    `the default service account of ${name}`,
    () => client.get(coreResource('serviceaccounts', 'ServiceAccount'), at),
    () => true,
  );
  return name;
}
