import type { PodTemplate } from '../../api/dask-cluster.ts';
import { FieldPath } from '../../api/field-path.ts';
import type { Container, PodSpec } from '../../api/kubernetes.ts';
import type { Role } from '../../api/names.ts';
import { daskContainerIndex } from '../dask-container.ts';

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
  /** Containers of every kind: what holds for one must hold for all. */
  readonly allContainers: readonly ContainerView[];
  /** Absent where the template is written as it is read. */
  readonly locate: Locate | undefined;
}

/**
 * Where the user wrote a field, by its path in the template as the rules read it
 * (`spec.worker.template.spec.containers[0].image`); undefined where daskwarden wrote it and nothing is to be said.
 */
export type Locate = (path: FieldPath) => FieldPath | undefined;

export interface ContainerView {
  readonly container: Container;
  readonly path: FieldPath;
}

/** @param locate where the template is not written as it is read */
export function templateView(role: Role, template: PodTemplate, locate?: Locate): TemplateView {
  const path = FieldPath.of('spec', role, 'template');
  const spec: Partial<PodSpec> = template.spec ?? {};
  const containers = containerViews(path.child('spec', 'containers'), spec.containers);
  const initContainers = containerViews(path.child('spec', 'initContainers'), spec.initContainers);
  const ephemeral = path.child('spec', 'ephemeralContainers');
  const index = daskContainerIndex(spec.containers ?? [], role);
  return {
    role,
    path,
    template,
    spec,
    containers,
    initContainers,
    allContainers: [...containers, ...initContainers, ...containerViews(ephemeral, spec.ephemeralContainers)],
    dask: index === undefined ? undefined : containers[index],
    locate,
  };
}

function containerViews(path: FieldPath, containers: readonly Container[] | undefined): ContainerView[] {
  return (containers ?? []).map((container, index) => ({
    container,
    path: path.index(index, container.name),
  }));
}
