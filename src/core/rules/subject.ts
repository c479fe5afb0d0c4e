import { formOf, type DaskCluster, type Form, type PodTemplate } from '../../api/dask-cluster.ts';
import { FieldPath } from '../../api/field-path.ts';
import type { Container, PodSpec } from '../../api/kubernetes.ts';
import type { Role } from '../../api/names.ts';
import { daskContainerIndex } from '../dask-container.ts';
import type { Finding } from '../findings.ts';

/** One pod template of a cluster, and where the user wrote it. */
export interface TemplateView {
  readonly role: Role;
  /** Path of the template: `spec.worker.template`. */
  readonly path: FieldPath;
  readonly template: PodTemplate;
  readonly spec: Partial<PodSpec>;
  /** The container that runs Dask, where it can be told. */
  readonly dask: ContainerView | undefined;
  readonly containers: readonly ContainerView[];
  readonly initContainers: readonly ContainerView[];
}

export interface ContainerView {
  readonly container: Container;
  readonly path: FieldPath;
}

/** What the rules look at: an object whose present fields have their declared types. */
export interface Subject {
  readonly cluster: DaskCluster;
  readonly form: Form | undefined;
  /** Empty for the gateway form, whose pods dask-gateway's configuration describes. */
  readonly templates: readonly TemplateView[];
}

export interface Rule {
  /** Stable over releases: metrics, documentation and exceptions refer to it. */
  readonly id: string;
  check(subject: Subject): readonly Finding[];
}

export function subjectOf(cluster: DaskCluster): Subject {
  const form = formOf(cluster.spec);
  const { scheduler, worker } = cluster.spec;
  const templates =
    form === 'template'
      ? [viewOf('scheduler', scheduler?.template), viewOf('worker', worker?.template)].filter(
          (view) => view !== undefined,
        )
      : [];
  return { cluster, form, templates };
}

function viewOf(role: Role, template: PodTemplate | undefined): TemplateView | undefined {
  if (template === undefined) return undefined;
  const path = FieldPath.of('spec', role, 'template');
  const spec: Partial<PodSpec> = template.spec ?? {};
  const containers = containerViews(path.child('spec', 'containers'), spec.containers);
  const index = daskContainerIndex(spec.containers ?? [], role);
  return {
    role,
    path,
    template,
    spec,
    containers,
    initContainers: containerViews(path.child('spec', 'initContainers'), spec.initContainers),
    dask: index === undefined ? undefined : containers[index],
  };
}

function containerViews(path: FieldPath, containers: readonly Container[] | undefined): ContainerView[] {
  return (containers ?? []).map((container, index) => ({
    container,
    path: path.index(index, container.name),
  }));
}
