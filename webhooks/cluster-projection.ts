import type {
  DaskCluster,
  DaskClusterSpec,
  DaskClusterStatus,
  PodTemplate,
} from '../src/api/dask-cluster.ts';
import type { Container, ObjectMeta, PodSpec } from '../src/api/kubernetes.ts';
import { DASKWARDEN_GROUP } from '../src/api/names.ts';

const OWN_ANNOTATIONS = `${DASKWARDEN_GROUP}/`;
/** Of dask-gateway's configuration, what its pods request. */
const CONFIG_KEYS = ['scheduler_cores', 'scheduler_memory', 'worker_cores', 'worker_memory'] as const;

/**
 * What admission needs of a stored cluster: who and whose it is, what its pods request, whether it still runs. A
 * thousand clusters with templates of 20 KB would otherwise be most of the webhook's memory.
 */
export function projectCluster({ apiVersion, kind, metadata, spec, status }: DaskCluster): DaskCluster {
  return {
    ...defined({ apiVersion, kind }),
    metadata: projectMetadata(metadata),
    spec: projectSpec(spec),
    ...(status && { status: projectStatus(status) }),
  };
}

function projectMetadata(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } =
    metadata;
  const own = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(OWN_ANNOTATIONS));
  return {
    ...defined({ name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp }),
    ...(own.length > 0 && { annotations: Object.fromEntries(own) }),
  };
}

function projectSpec(spec: DaskClusterSpec): DaskClusterSpec {
  const { scheduler, worker, config, username, replicas, active, placement } = spec;
  return {
    ...defined({ username, replicas, active, placement }),
    ...(scheduler && { scheduler: projectRole(scheduler) }),
    ...(worker && { worker: { ...defined({ replicas: worker.replicas }), ...projectRole(worker) } }),
    ...(config && {
      config: Object.fromEntries(CONFIG_KEYS.filter((key) => key in config).map((key) => [key, config[key]])),
    }),
  };
}

function projectRole({ template }: { readonly template?: PodTemplate }): { readonly template?: PodTemplate } {
  return template?.spec ? { template: { spec: projectPod(template.spec) } } : {};
}

/** Whatever was stored while the webhook was away is taken: a null is left as it is. */
function projectPod(spec: PodSpec): PodSpec {
  const { containers, initContainers, resources, overhead } = spec as Partial<PodSpec>;
  return {
    ...defined({ resources, overhead }),
    containers: (containers ?? []).map(projectContainer),
    ...(initContainers && { initContainers: initContainers.map(projectContainer) }),
  };
}

function projectContainer(container: Container | null): Container {
  const { name = '', restartPolicy, resources } = container ?? {};
  return { name, ...defined({ restartPolicy, resources }) };
}

function projectStatus({ phase, conditions }: DaskClusterStatus): DaskClusterStatus {
  // By its reason a cluster that was switched off is told from one that has ended.
  const ready = conditions?.filter(({ type }) => type === 'Ready');
  return defined({ phase, conditions: ready });
}

type Defined<T> = { readonly [Key in keyof T]?: Exclude<T[Key], undefined> };

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
