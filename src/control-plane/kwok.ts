import type { ApiSite, Component } from './component.ts';

export const KWOK_KUBECONFIG = 'kwok.kubeconfig';
export const KWOK_STAGES = 'kwok-stages.yaml';
const NODE_NAME = 'fake-node';
/** Larger than anything a test asks for; one node, because nothing here depends on where a pod lands. */
const CAPACITY = { cpu: '10k', memory: '100Ti', 'ephemeral-storage': '1Pi', pods: '100k' };

interface NodeView {
  readonly spec: { readonly taints?: readonly unknown[] };
  readonly status: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** kwok: plays the kubelet of the one node. Pods are Running as soon as they are scheduled and end when deleted. */
export function kwok(site: ApiSite): Component {
  return {
    name: 'kwok',
    args: () => [
      `--kubeconfig=${KWOK_KUBECONFIG}`,
      `--config=${KWOK_STAGES}`,
      '--manage-all-nodes=true',
      '--cidr=10.244.0.0/16',
      '--node-lease-duration-seconds=60',
    ],
    ready: async (_port, signal) => {
      const answer = await site.connection.call(site.apiPort, `/api/v1/nodes/${NODE_NAME}`, { signal });
      if (answer.status === 404) await createNode(site, signal);
      return answer.status === 200 && isSchedulable(JSON.parse(answer.body) as NodeView);
    },
  };
}

function isSchedulable(node: NodeView): boolean {
  const ready = node.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  return ready === true && (node.spec.taints ?? []).length === 0;
}

async function createNode(site: ApiSite, signal: AbortSignal): Promise<void> {
  await site.connection.call(site.apiPort, '/api/v1/nodes', {
    method: 'POST',
    body: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: NODE_NAME,
        annotations: { 'kwok.x-k8s.io/node': 'fake' },
        labels: { 'kubernetes.io/hostname': NODE_NAME, 'kubernetes.io/os': 'linux', type: 'kwok' },
      },
      status: { allocatable: CAPACITY, capacity: CAPACITY },
    },
    signal,
  });
}
