import { freeObject, listOf, type StructuralSchema } from './structural-schema.ts';

/**
 * The 29 keys of dask-gateway's KubeClusterConfig. An operator may subclass it: every key may be null, none is
 * required, others are stored too, so that what dask-gateway's API server posts is stored value for value.
 */
export const CONFIG_PROPERTIES: Readonly<Record<string, StructuralSchema>> = Object.fromEntries(
  Object.entries({
    namespace: { type: 'string' },
    image: { type: 'string' },
    image_pull_policy: { type: 'string' },
    image_pull_secrets: listOf(freeObject),
    environment: freeObject,
    scheduler_cmd: listOf({ type: 'string' }),
    worker_cmd: listOf({ type: 'string' }),
    worker_threads: { type: 'integer' },
    adaptive_period: { type: 'number' },
    idle_timeout: { type: 'number' },
    cluster_max_cores: { type: 'number' },
    cluster_max_memory: { type: 'integer' },
    cluster_max_workers: { type: 'integer' },
    ...podConfig('scheduler'),
    ...podConfig('worker'),
  } satisfies Record<string, StructuralSchema>).map(([key, schema]) => [key, { ...schema, nullable: true }]),
);

function podConfig(role: 'scheduler' | 'worker'): Record<string, StructuralSchema> {
  return {
    [`${role}_cores`]: { type: 'number' },
    [`${role}_cores_limit`]: { type: 'number' },
    [`${role}_memory`]: { type: 'integer' },
    [`${role}_memory_limit`]: { type: 'integer' },
    [`${role}_extra_container_config`]: freeObject,
    [`${role}_extra_pod_config`]: freeObject,
    [`${role}_extra_pod_annotations`]: freeObject,
    [`${role}_extra_pod_labels`]: freeObject,
  };
}
