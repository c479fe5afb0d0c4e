import { SERVING_CERTIFICATE, SERVING_KEY } from './apiserver.ts';
import type { ApiSite, Component } from './component.ts';
import { UNTHROTTLED } from './controller-manager.ts';

export const SCHEDULER_KUBECONFIG = 'kube-scheduler.kubeconfig';

export function scheduler(site: ApiSite): Component {
  return {
    name: 'kube-scheduler',
    args: (port) => [
      `--kubeconfig=${SCHEDULER_KUBECONFIG}`,
      `--authentication-kubeconfig=${SCHEDULER_KUBECONFIG}`,
      `--authorization-kubeconfig=${SCHEDULER_KUBECONFIG}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--tls-cert-file=${SERVING_CERTIFICATE}`,
      `--tls-private-key-file=${SERVING_KEY}`,
      '--leader-elect=false',
      ...UNTHROTTLED,
    ],
    ready: async (port, signal) => {
      const { status } = await site.connection.call(port, '/readyz', { signal });
      return status === 200;
    },
  };
}
