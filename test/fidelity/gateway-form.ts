import type { Json } from '../support/random-pod-names.ts';
import { objectOf } from './object-of.ts';
import type { RandomManifest } from './random-manifest.ts';

/**
 * The same pods, as far as a configuration of dask-gateway can describe them: it writes the container that runs Dask
 * itself and adds what is given, and puts further containers after it.
 */
export function inGatewayForm({ spec, ...object }: RandomManifest): object {
  const config = {
    image: 'ghcr.io/dask/dask-gateway:2026.3',
    ...partOf('scheduler', spec.scheduler.template),
    ...partOf('worker', spec.worker.template),
  };
  return { ...object, spec: { username: 'alice', options: {}, config, replicas: 1 } };
}

function partOf(role: 'scheduler' | 'worker', template: unknown): Json {
  const { metadata, spec } = objectOf(template);
  const { labels = {}, annotations = {} } = objectOf(metadata);
  const { containers, ...pod } = objectOf(spec);
  const [first, ...others] = Array.isArray(containers) ? (containers as unknown[]) : [];
  const { name: _name, command: _command, args: _args, image: _image, ...container } = objectOf(first);
  return {
    [`${role}_cores`]: 1,
    [`${role}_cores_limit`]: 1,
    [`${role}_memory`]: 2 ** 30,
    [`${role}_memory_limit`]: 2 ** 30,
    [`${role}_cmd`]: [`dask-${role}`],
    ...(role === 'worker' && { worker_threads: 1 }),
    [`${role}_extra_container_config`]: container,
    [`${role}_extra_pod_config`]: { ...pod, ...(others.length > 0 && { containers: others }) },
    [`${role}_extra_pod_labels`]: labels,
    [`${role}_extra_pod_annotations`]: annotations,
  };
}
