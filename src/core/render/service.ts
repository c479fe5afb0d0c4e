import type { DaskCluster } from '../../api/dask-cluster.ts';
import type { Service } from '../../api/kubernetes.ts';
import { DASHBOARD_PORT, ROLE_COMPONENT, SCHEDULER_PORT, serviceName } from '../../api/names.ts';
import { childLabels, selectorLabels, type Installation } from './labels.ts';
import { identityOf, ownerReference } from './owner.ts';

/** The headless Service by which workers and clients find the scheduler: its name resolves to the scheduler's pod. */
export function renderService(cluster: DaskCluster, installation: Installation): Service {
  const owner = identityOf(cluster);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: serviceName(owner.name),
      namespace: owner.namespace,
      labels: childLabels(installation, owner.name, ROLE_COMPONENT.scheduler),
      ownerReferences: [ownerReference(owner)],
    },
    spec: {
      clusterIP: 'None',
      selector: { ...selectorLabels(installation, owner.name, ROLE_COMPONENT.scheduler) },
      ports: [
        { name: 'scheduler', port: SCHEDULER_PORT, targetPort: SCHEDULER_PORT, protocol: 'TCP' },
        { name: 'dashboard', port: DASHBOARD_PORT, targetPort: DASHBOARD_PORT, protocol: 'TCP' },
      ],
    },
  };
}
