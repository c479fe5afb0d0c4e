import { startControlPlane } from '../src/control-plane/control-plane.ts';
import { ensureBinaries } from '../src/control-plane/ensure-binaries.ts';
import { KubeClient } from '../src/kube/client.ts';
import { kubeconfigAccess } from '../src/kube/kubeconfig.ts';
import type { OpenApi } from './pod-schema.ts';

export interface ServerDocuments {
  /** `v1.36.3` */
  readonly version: string;
  readonly openApi: OpenApi;
}

/**
 * Reads the core API's OpenAPI from an API server: the kubeconfig's, or without one an embedded control plane that
 * lives only for this call.
 */
export async function readServerDocuments(
  kubeconfigPath: string | undefined,
  signal: AbortSignal,
): Promise<ServerDocuments> {
  if (kubeconfigPath !== undefined) return readFrom(kubeconfigPath, signal);
  const report = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  const binaries = await ensureBinaries({ report, signal, env: process.env });
  await using plane = await startControlPlane({ binaries, report, signal, scheduler: false, kwok: false });
  return await readFrom(plane.kubeconfigPath, signal);
}

async function readFrom(path: string, signal: AbortSignal): Promise<ServerDocuments> {
  const client = new KubeClient({
    access: await kubeconfigAccess({ path, env: process.env }),
    version: 'crd-generator',
  });
  try {
    const [version, openApi] = await Promise.all([
      client.request('GET', '/version', { signal }),
      client.request('GET', '/openapi/v3/api/v1', { signal }),
    ]);
    return {
      version: (JSON.parse(version) as { gitVersion: string }).gitVersion,
      openApi: JSON.parse(openApi) as OpenApi,
    };
  } finally {
    await client.close();
  }
}
