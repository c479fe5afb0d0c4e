import { inject } from 'vitest';
import { KubeClient } from '../../src/kube/client.ts';
import { kubeconfigAccess } from '../../src/kube/kubeconfig.ts';
import type { OpenApi } from '../support/open-api.ts';

export interface Admin extends AsyncDisposable {
  readonly client: KubeClient;
}

/** A client of the control plane's administrator. */
export async function adminClient(): Promise<Admin> {
  const access = await kubeconfigAccess({ path: inject('kubeconfigPath'), env: {} });
  const client = new KubeClient({ access, version: 'test' });
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

export async function openApiOf(client: KubeClient): Promise<OpenApi> {
  return JSON.parse(await client.request('GET', '/openapi/v3/api/v1')) as OpenApi;
}
