import type { DaskCluster } from '../../api/dask-cluster.ts';
import type { FieldPath } from '../../api/field-path.ts';
import type { Pod } from '../../api/kubernetes.ts';
import type { Role } from '../../api/names.ts';

/** A pod as it will be created for a cluster, and where the user wrote what is in it. */
export interface JudgedPod {
  readonly role: Role;
  readonly pod: Pod;
  /** The object that the paths lead through. */
  readonly cluster: DaskCluster;
  /** Where all of the pod is described: `spec.worker.template`, or `spec.config`. */
  readonly path: FieldPath;
  /** @param podField as Kubernetes writes it: `spec.containers[0].resources.limits[cpu]` */
  readonly pathOf: (podField: string) => FieldPath;
}
