import type { Json } from '../support/random-pod-names.ts';
import type { RandomManifest } from './random-manifest.ts';

interface Template {
  readonly metadata?: { readonly labels?: unknown; readonly annotations?: unknown };
  readonly spec?: Json;
}

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
  const { metadata, spec = {} } = (template ?? {}) as Template;
  const { containers, ...pod } = spec;
  const [first, ...others] = Array.isArray(containers) ? (containers as unknown[]) : [];
  const { name: _name, command: _command, args: _args, image: _image, ...container } = (first ?? {}) as Json;
  return {
    [`${role}_cores`]: 1,
    [`${role}_cores_limit`]: 1,
    [`${role}_memory`]: 2 ** 30,
    [`${role}_memory_limit`]: 2 ** 30,
    [`${role}_cmd`]: [`dask-${role}`],
    ...(role === 'worker' && { worker_threads: 1 }),
    [`${role}_extra_container_config`]: container,
    [`${role}_extra_pod_config`]: { ...pod, ...(others.length > 0 && { containers: others }) },
    [`${role}_extra_pod_labels`]: metadata?.labels ?? {},
    [`${role}_extra_pod_annotations`]: metadata?.annotations ?? {},
  };
}
