import { expect, inject } from 'vitest';
import { DASK_CLUSTERS, type DaskCluster } from '../../src/api/dask-cluster.ts';
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

/** One line for each fault: `spec.active: Invalid value: …`. */
export type Faults = readonly string[];

interface DryVerdict {
  /** As it would be stored. */
  readonly stored: DaskCluster | undefined;
  readonly faults: Faults;
}

/** What the API server says of an object, by the webhooks' mouth: a POST that stores nothing. */
export async function postDry(client: KubeClient, namespace: string, object: object): Promise<DryVerdict> {
  const { metadata } = object as { metadata?: object };
  const placed = { ...object, metadata: { ...metadata, namespace } } as unknown as DaskCluster;
  try {
    const stored = await client.create(DASK_CLUSTERS, { namespace }, placed, { dryRun: true });
    return { stored, faults: [] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error).toMatchObject({ code: 422, reason: 'Invalid' });
    const causes = error.details?.causes ?? [];
    return {
      stored: undefined,
      faults: causes.map(({ field = '', message = '' }) => `${field}: ${message}`),
    };
  }
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
