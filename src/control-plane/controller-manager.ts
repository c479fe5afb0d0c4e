import { CERTIFICATE_AUTHORITY, SERVING_CERTIFICATE, SERVING_KEY } from './apiserver.ts';
import type { ApiSite, Component } from './component.ts';

export const CONTROLLER_MANAGER_KUBECONFIG = 'kube-controller-manager.kubeconfig';
/** The built-in limit of 20 requests a second would make every test of hundreds of objects wait for it. */
export const UNTHROTTLED = ['--kube-api-qps=500', '--kube-api-burst=1000'] as const;

/** kube-controller-manager: garbage collection, namespaces, service accounts, endpoints, quotas. */
export function controllerManager(site: ApiSite): Component {
  return {
    name: 'kube-controller-manager',
    args: (port) => [
      `--kubeconfig=${CONTROLLER_MANAGER_KUBECONFIG}`,
      `--authentication-kubeconfig=${CONTROLLER_MANAGER_KUBECONFIG}`,
      `--authorization-kubeconfig=${CONTROLLER_MANAGER_KUBECONFIG}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      // The API server's own certificate is valid for the loopback address.
      `--tls-cert-file=${SERVING_CERTIFICATE}`,
      `--tls-private-key-file=${SERVING_KEY}`,
      `--root-ca-file=${CERTIFICATE_AUTHORITY}`,
      `--service-account-private-key-file=${site.credentials.serviceAccountKeyFile}`,
      '--use-service-account-credentials=true',
      '--leader-elect=false',
      // A machine that was suspended or starved for a minute must not lose its pods.
      '--node-monitor-grace-period=10m',
      ...UNTHROTTLED,
    ],
    ready: async (port, signal) => {
      const health = await site.connection.call(port, '/healthz', { signal });
      if (health.status !== 200) return false;
      // Healthy long before its controllers work; pods can be made once this account is there.
      const account = await site.connection.call(
        site.apiPort,
        '/api/v1/namespaces/default/serviceaccounts/default',
        { signal },
      );
      return account.status === 200;
    },
  };
}
