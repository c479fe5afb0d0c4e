import { formOf, type DaskCluster } from '../../api/dask-cluster.ts';
import { FieldPath } from '../../api/field-path.ts';
import type { Role } from '../../api/names.ts';
import { daskContainerIndex } from '../dask-container.ts';
import { isCounted, shapeOf, workersOf } from './cluster-demand.ts';
import type { Excess } from './scope.ts';

/** The field that a limit is gone beyond by, and its value. */
export interface Cause {
  readonly path: FieldPath;
  readonly value: unknown;
}

interface Change {
  readonly cluster: DaskCluster;
  readonly oldCluster?: DaskCluster | undefined;
}

/** Where the user can do something about an excess: the number of workers, what a pod requests, or the cluster itself. */
export function causeOf({ measure, bound, used }: Excess, { cluster, oldCluster }: Change): Cause {
  const before = oldCluster !== undefined && isCounted(oldCluster) ? oldCluster : undefined;
  if (measure === 'clusters') return ofCluster(cluster, oldCluster);
  if (measure === 'workers') return ofReplicas(cluster);
  const shape = shapeOf(cluster);
  const hasMoreWorkers = before === undefined || workersOf(cluster) > workersOf(before);
  // The scheduler alone would be too much: fewer workers would not do.
  const isForWorkers = shape.worker[measure] > 0n && used + shape.scheduler[measure] <= bound;
  if (hasMoreWorkers && isForWorkers) return ofReplicas(cluster);
  const workerGrew = before === undefined || shape.worker[measure] > shapeOf(before).worker[measure];
  return ofResources(cluster, isForWorkers && workerGrew ? 'worker' : 'scheduler', measure);
}

function ofCluster({ spec }: DaskCluster, oldCluster: DaskCluster | undefined): Cause {
  return oldCluster?.spec.active === false
    ? { path: FieldPath.of('spec', 'active'), value: spec.active }
    : { path: FieldPath.of('spec'), value: undefined };
}

function ofReplicas(cluster: DaskCluster): Cause {
  const parents = formOf(cluster.spec) === 'gateway' ? [] : ['worker'];
  return { path: FieldPath.of('spec', ...parents, 'replicas'), value: workersOf(cluster) };
}

function ofResources({ spec }: DaskCluster, role: Role, measure: 'cores' | 'memoryBytes'): Cause {
  if (formOf(spec) === 'gateway') {
    const key = `${role}_${measure === 'cores' ? 'cores' : 'memory'}`;
    return { path: FieldPath.of('spec', 'config').child(key), value: spec.config?.[key] };
  }
  const path = FieldPath.of('spec', role, 'template', 'spec');
  const pod = spec[role]?.template?.spec;
  if (pod?.resources !== undefined) return { path: path.child('resources'), value: pod.resources };
  const containers = pod?.containers ?? [];
  const index = daskContainerIndex(containers, role);
  const dask = index === undefined ? undefined : containers[index];
  if (index === undefined || dask === undefined) return { path, value: undefined };
  return { path: path.child('containers').index(index, dask.name).child('resources'), value: dask.resources };
}
