import type { DaskCluster, DaskClusterSpec, DaskClusterStatus } from '../../src/api/dask-cluster.ts';
import { REQUESTED_BY_ANNOTATION } from '../../src/api/names.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/core/policy/policy.ts';
import { IMAGE } from './builders.ts';

export interface SizedOptions {
  readonly name?: string;
  readonly namespace?: string;
  readonly owner?: string;
  readonly workers?: number;
  /** What the scheduler and each worker request: quantities. */
  readonly cores?: string | number;
  readonly memory?: string;
  readonly createdAt?: string;
  readonly version?: number;
  readonly generation?: number;
  readonly spec?: Partial<DaskClusterSpec>;
  readonly status?: DaskClusterStatus;
}

/** A stored cluster of somebody's, whose pods request so much each. */
export function aSized(options: SizedOptions = {}): DaskCluster {
  const { name = 'demo', namespace = 'team-a', owner = 'alice', workers = 0, version = 1 } = options;
  const requests = {
    ...(options.cores === undefined ? {} : { cpu: options.cores as string }),
    ...(options.memory === undefined ? {} : { memory: options.memory }),
  };
  const template = (container: string): object => ({
    template: { spec: { containers: [{ name: container, image: IMAGE, resources: { requests } }] } },
  });
  return {
    apiVersion: 'gateway.dask.org/v1alpha1',
    kind: 'DaskCluster',
    metadata: {
      name,
      namespace,
      uid: `uid-of-${namespace}-${name}`,
      resourceVersion: String(version),
      generation: options.generation ?? 1,
      creationTimestamp: options.createdAt ?? '2026-03-01T12:00:00Z',
      annotations: { [REQUESTED_BY_ANNOTATION]: owner },
    },
    spec: {
      scheduler: template('dask-scheduler'),
      worker: { replicas: workers, ...template('dask-worker') },
      ...options.spec,
    },
    ...(options.status === undefined ? {} : { status: options.status }),
  };
}

export function limitedTo(limits: Partial<Policy['limits']>, change: Partial<Policy> = {}): Policy {
  return { ...DEFAULT_POLICY, limits: { ...DEFAULT_POLICY.limits, ...limits }, ...change };
}
