import type { DaskCluster, PodTemplate } from '../../api/dask-cluster.ts';
import { FieldPath } from '../../api/field-path.ts';
import type { Pod } from '../../api/kubernetes.ts';
import type { Role } from '../../api/names.ts';
import { segmentsOfPodField } from '../render/gateway/pod-field.ts';
import type { Installation } from '../render/labels.ts';
import { renderSchedulerPod, renderWorkerPod } from '../render/pod.ts';
import { fieldPathOf, valueAt } from '../structure/place.ts';
import { asCreated, GENERATED_SUFFIX } from './as-created.ts';
import type { JudgedPod } from './judged-pod.ts';

/** An object that is being created has no UID yet; what is judged must not depend on it. */
const PLACEHOLDER_UID = '00000000-0000-4000-8000-000000000000';
/** The API server cuts the base of a generated name. */
const LONGEST_BASE = 58;

/** The scheduler's pod and a worker's of a template-form cluster; none for a template that is not there. */
export function templatePods(cluster: DaskCluster, installation: Installation): readonly JudgedPod[] {
  const stored = asStored(cluster);
  return (['scheduler', 'worker'] as const)
    .filter((role) => cluster.spec[role]?.template !== undefined)
    .map((role) => {
      const pod =
        role === 'scheduler'
          ? renderSchedulerPod(stored, installation, 1)
          : renderWorkerPod(stored, installation, { incarnation: 1, slot: 0 });
      const created = asCreated(pod, stored.metadata.name ?? '');
      const path = FieldPath.of('spec', role, 'template');
      return { role, pod: created, cluster, path, pathOf: (field) => placeOf(cluster, role, created, field) };
    });
}

/** The cluster as the controller will see it, with containers where a template has none. */
function asStored(cluster: DaskCluster): DaskCluster {
  const { name, generateName = '', namespace } = cluster.metadata;
  const { scheduler, worker } = cluster.spec;
  return {
    ...cluster,
    metadata: {
      ...cluster.metadata,
      name: name || `${generateName.slice(0, LONGEST_BASE)}${GENERATED_SUFFIX}`,
      namespace: namespace || 'default',
      uid: PLACEHOLDER_UID,
    },
    spec: {
      ...cluster.spec,
      ...(scheduler && { scheduler: withContainers(scheduler) }),
      ...(worker && { worker: withContainers(worker) }),
    },
  };
}

function withContainers<T extends { readonly template?: PodTemplate }>(part: T): T {
  const spec = part.template?.spec as Partial<NonNullable<PodTemplate['spec']>> | undefined;
  if (spec === undefined || spec.containers !== undefined) return part;
  return { ...part, template: { ...part.template, spec: { ...spec, containers: [] } } };
}

function placeOf(cluster: DaskCluster, role: Role, pod: Pod, field: string): FieldPath {
  const segments = segmentsOfPodField(field);
  const [root = '', part = ''] = segments;
  // Name, namespace and owner follow from the object itself.
  if (root === 'metadata' && part !== 'labels' && part !== 'annotations') {
    return FieldPath.of('metadata', part === 'namespace' ? 'namespace' : 'name');
  }
  const template = ['spec', role, 'template'];
  return fieldPathOf(cluster, [...template, ...written(cluster.spec[role]?.template, pod, segments)]);
}

/**
 * As far of a path as the template goes along: below what daskwarden wrote itself there is nothing of the user's, so
 * that such a field stands for all in it, and such an item for its list. What neither has is a field that is missing.
 */
function written(template: unknown, pod: unknown, segments: readonly string[]): readonly string[] {
  for (const [index, segment] of segments.entries()) {
    const way = segments.slice(0, index + 1);
    // `metadata` and `spec` belong to every template, written or not.
    if (index === 0) continue;
    const isOurs = valueAt(template, way) === undefined && valueAt(pod, way) !== undefined;
    if (!isOurs) continue;
    const isItem = Array.isArray(valueAt(pod, segments.slice(0, index)));
    return isItem ? segments.slice(0, index) : [...segments.slice(0, index), segment];
  }
  return segments;
}
