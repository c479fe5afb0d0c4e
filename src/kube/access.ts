import { inClusterAccess, type ClusterAccess } from './config.ts';

export interface AccessFlags {
  /** Path of a kubeconfig, for a process outside of a pod. */
  readonly kubeconfig?: string | undefined;
  /** Where the service account is mounted, if not where the kubelet puts it. */
  readonly 'service-account-dir'?: string | undefined;
}

/**
 * How a process reaches its API server, by its flags. The code that reads kubeconfigs brings 80 MB with it: it is
 * loaded only for one.
 * @throws AccessError where neither way leads anywhere
 */
export async function accessByFlags(flags: AccessFlags, env: NodeJS.ProcessEnv): Promise<ClusterAccess> {
  if (flags.kubeconfig !== undefined) {
    const { kubeconfigAccess } = await import('./kubeconfig.ts');
    return kubeconfigAccess({ path: flags.kubeconfig, env });
  }
  const directory = flags['service-account-dir'];
  return inClusterAccess({ env, ...(directory === undefined ? {} : { directory }) });
}
