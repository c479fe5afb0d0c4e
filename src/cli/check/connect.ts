import { KubeClient } from '../../kube/client.ts';
import type { ClusterAccess } from '../../kube/config.ts';
import { VERSION } from '../../platform/version.ts';
import type { ClusterFlags } from './options.ts';

export interface Connection extends AsyncDisposable {
  readonly client: KubeClient;
  readonly access: ClusterAccess;
}

/** A client with the caller's own rights. @throws AccessError where no kubeconfig leads anywhere */
export async function connect(
  { kubeconfig, context }: ClusterFlags,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Connection> {
  // 80 MB, which a check of files does not need.
  const { kubeconfigAccess } = await import('../../kube/kubeconfig.ts');
  const access = await kubeconfigAccess({ path: kubeconfig, context, env });
  const client = new KubeClient({ access, version: VERSION });
  return { client, access, [Symbol.asyncDispose]: () => client.close() };
}
