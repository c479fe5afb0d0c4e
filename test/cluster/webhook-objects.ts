import { inject } from 'vitest';
import type { KubeObject, Pod } from '../../src/api/kubernetes.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { ApiError } from '../../src/kube/errors.ts';
import { kubeconfigAccess } from '../../src/kube/kubeconfig.ts';
import { clientOf } from '../support/kube-client.ts';

export const IMAGE = 'registry.example.org/dask:2026.3';

/** A stopped cluster: judged as every other, and the controller makes no pods of it. */
export function cluster(change: { scheduler?: object; worker?: object; spec?: object } = {}): KubeObject {
  const template = (name: string, pod: object = {}): object => ({
    template: { spec: { containers: [{ name, image: IMAGE }], ...pod } },
  });
  return {
    apiVersion: 'gateway.dask.org/v1alpha1',
    kind: 'DaskCluster',
    metadata: { name: 'demo' },
    spec: {
      active: false,
      scheduler: template('dask-scheduler', change.scheduler),
      worker: { replicas: 1, ...template('dask-worker', change.worker) },
      ...change.spec,
    },
  } as KubeObject;
}

export const RESERVED_VOLUME = { volumes: [{ name: 'dask-credentials', emptyDir: {} }] };

/** The Status of a refusal. */
export async function refusalOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => new Error('it was admitted'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw error as Error;
  return error;
}

/** A client that is the controller, as far as the API server knows. */
export async function controllerClient(): Promise<KubeClient> {
  const user = `system:serviceaccount:${inject('productNamespace')}:daskwarden-controller`;
  const access = await kubeconfigAccess({ path: inject('kubeconfigPath') });
  const credentials = async () => ({ ...(await access.credentials()), impersonateUser: user });
  return clientOf({ ...access, credentials });
}

export function workerPod(namespace: string): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'w-0',
      namespace,
      labels: { 'gateway.dask.org/cluster': 'demo', 'app.kubernetes.io/component': 'dask-worker' },
    },
    spec: {
      containers: [
        { name: 'dask-worker', image: IMAGE },
        { name: 'sidecar', image: IMAGE },
      ],
    },
  };
}
