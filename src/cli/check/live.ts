import { DASK_CLUSTERS, type DaskCluster } from '../../api/dask-cluster.ts';
import { PODS, type KubeObject, type Pod, type Resource } from '../../api/kubernetes.ts';
import { CLUSTER_LABEL, MANAGED_BY, MANAGED_BY_LABEL } from '../../api/names.ts';
import type { Finding } from '../../core/findings.ts';
import type { KubeClient } from '../../kube/client.ts';
import { isForbidden, isNotFound } from '../../kube/errors.ts';
import { listAll } from '../../kube/pager.ts';
import { connect } from './connect.ts';
import { inOrder } from './in-order.ts';
import type { Judging } from './judging.ts';
import type { CheckOptions } from './options.ts';
import { isRefused, type Judged, type Report, type Tally } from './report.ts';

export interface LiveContext {
  readonly judging: Judging;
  readonly report: Report;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const NAMESPACES: Resource = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
/** Pods of dask-gateway's own controller; what ours made follows from a DaskCluster that is judged already. */
const GATEWAY_PODS = `${CLUSTER_LABEL},${MANAGED_BY_LABEL}!=${MANAGED_BY}`;
/** A client's own time limit ends a list; Ctrl-C ends the process. */
const LISTING = { prepare: <T>(object: T): T => object, signal: new AbortController().signal };
const MOST_AT_ONCE = 32;

type Labels = Readonly<Record<string, string>>;

/** Judges what a cluster has stored as if it came now. Only reads. */
export async function checkLive(options: CheckOptions, context: LiveContext): Promise<Tally> {
  await using connection = await connect(options.cluster, context.env);
  const { client, access } = connection;
  const namespace = options.allNamespaces ? undefined : (options.namespace ?? access.namespace ?? 'default');
  const live = new Live(client, namespace, context);
  return await live.check();
}

class Live {
  private readonly client: KubeClient;
  private readonly namespace: string | undefined;
  private readonly context: LiveContext;
  private incomplete = false;
  private refused = 0;

  constructor(client: KubeClient, namespace: string | undefined, context: LiveContext) {
    this.client = client;
    this.namespace = namespace;
    this.context = context;
  }

  async check(): Promise<Tally> {
    const labels = await this.namespaceLabels();
    const { judging } = this.context;
    const clusters = await this.list<DaskCluster>(DASK_CLUSTERS);
    const judged = await this.judge(clusters, async (cluster) => {
      const { namespace = '', name = '' } = cluster.metadata;
      const { findings } = await judging.judge(cluster, {
        defaultNamespace: namespace,
        namespaceLabels: labels.get(namespace),
      });
      return resultOf('daskcluster', namespace, name, findings);
    });
    const gatewayPods = await this.list<Pod>(PODS, GATEWAY_PODS);
    const pods = await this.judge(gatewayPods, async (pod) => {
      const { namespace = '', name = '' } = pod.metadata;
      return resultOf('pod', namespace, name, await judging.judgePod(pod, labels.get(namespace)));
    });
    return { judged, pods, refused: this.refused, unreadable: 0, incomplete: this.incomplete };
  }

  private async judge<T>(objects: readonly T[], judge: (object: T) => Promise<Judged>): Promise<number> {
    for await (const result of inOrder(objects, MOST_AT_ONCE, judge)) {
      if (isRefused(result)) this.refused += 1;
      this.context.report.judged(result);
    }
    return objects.length;
  }

  private async namespaces(): Promise<readonly KubeObject[]> {
    const { items } = await listAll<KubeObject, KubeObject>(this.client, NAMESPACES, {}, LISTING);
    return items;
  }

  /** Objects that are on their way out are nobody's concern any more. */
  private async list<T extends KubeObject>(
    resource: Resource,
    labelSelector?: string,
  ): Promise<readonly T[]> {
    const query = { namespace: this.namespace, labelSelector };
    const { items } = await listAll<T, T>(this.client, resource, query, LISTING);
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** What namespaces enforce. Where they may not be read the policy alone decides, and that is said. */
  private async namespaceLabels(): Promise<ReadonlyMap<string, Labels>> {
    try {
      const namespaces =
        this.namespace === undefined
          ? await this.namespaces()
          : [await this.client.get<KubeObject>(NAMESPACES, { name: this.namespace })];
      return new Map(namespaces.map(({ metadata }) => [metadata.name ?? '', metadata.labels ?? {}]));
    } catch (error) {
      if (isNotFound(error)) {
        this.incomplete = true;
        this.context.report.note(`there is no namespace '${this.namespace ?? ''}' in the cluster`);
      } else if (isForbidden(error)) {
        this.context.report.note(
          'you may not read namespaces: what their labels say of pod security and enforcement is not known here',
        );
      } else throw error;
      return new Map();
    }
  }
}

function resultOf(kind: string, namespace: string, name: string, findings: readonly Finding[]): Judged {
  return {
    file: `${namespace}/${kind}/${name}`,
    start: undefined,
    namespace,
    name,
    findings: findings.map((finding) => ({ finding, position: undefined })),
  };
}
