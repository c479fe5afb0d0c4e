import type { TemplateView } from '../template-view.ts';
import type { Reaching } from './place.ts';

const HOST_NAMESPACES = ['hostNetwork', 'hostPID', 'hostIPC'] as const;

/**
 * Taints that keep pods away from the machines that rule the cluster, under the names that kubeadm, RKE and K3s give
 * them. Whoever runs there reaches etcd and its certificates by one more step.
 */
const CONTROL_PLANE_TAINTS: ReadonlySet<string> = new Set([
  'node-role.kubernetes.io/control-plane',
  'node-role.kubernetes.io/controlplane',
  'node-role.kubernetes.io/master',
  'node-role.kubernetes.io/etcd',
  'CriticalAddonsOnly',
]);

/** Priority classes that Kubernetes reserves for itself start so: they push other people's pods off their nodes. */
const SYSTEM_PRIORITY = 'system-';

/** What ties a pod to a node, or to the node's own namespaces and ports. */
export function reachesHost(view: TemplateView): readonly Reaching[] {
  const { path, spec } = view;
  const at = path.child('spec');
  return [
    ...HOST_NAMESPACES.filter((field) => spec[field] === true).map((field) => ({
      path: at.child(field),
      value: true,
      message: "pods may not share the node's namespaces; remove it",
    })),
    ...(spec.nodeName
      ? [
          {
            path: at.child('nodeName'),
            value: spec.nodeName,
            message: 'passes by the scheduler of Kubernetes and every taint; use nodeSelector or affinity',
          },
        ]
      : []),
    ...(spec.priorityClassName?.startsWith(SYSTEM_PRIORITY) === true
      ? [
          {
            path: at.child('priorityClassName'),
            value: spec.priorityClassName,
            message: `priority classes that start with '${SYSTEM_PRIORITY}' are for Kubernetes itself; use another one`,
          },
        ]
      : []),
    ...tolerations(view),
    ...hostPorts(view),
  ];
}

function tolerations({ path, spec }: TemplateView): readonly Reaching[] {
  return (spec.tolerations ?? []).flatMap((toleration, index): readonly Reaching[] => {
    const at = path.child('spec', 'tolerations').index(index);
    const { key } = toleration;
    // Without a key every taint is tolerated.
    if (!key) return [{ path: at, value: toleration, message: 'tolerates every taint; name a key' }];
    if (!CONTROL_PLANE_TAINTS.has(key)) return [];
    const message = 'tolerates the taint of control plane nodes; remove it';
    return [{ path: at.child('key'), value: key, message }];
  });
}

function hostPorts({ allContainers }: TemplateView): readonly Reaching[] {
  return allContainers.flatMap(({ container, path }) =>
    (container.ports ?? []).flatMap(({ name, hostPort }, index) => {
      if (!hostPort) return [];
      const at = path.child('ports').index(index, name).child('hostPort');
      const message = "takes a port of the node; remove it: the cluster's Service leads to the scheduler";
      return [{ path: at, value: hostPort, message }];
    }),
  );
}
