import type { Volume } from '../../api/kubernetes.ts';
import type { FieldPath } from '../../api/field-path.ts';
import type { ContainerView, TemplateView } from './template-view.ts';

/** One place of a pod that names a Secret of its namespace. */
export interface SecretReference {
  readonly name: string;
  readonly path: FieldPath;
}

interface Place {
  readonly name: string | undefined;
  readonly path: FieldPath;
}

/** Every place of a template where the contents of a Secret reach a container or a volume of it. */
export function secretReferences(view: TemplateView): readonly SecretReference[] {
  const volumes = (view.spec.volumes ?? []).flatMap((volume, index) =>
    ofVolume(volume, view.path.child('spec', 'volumes').index(index, volume.name)),
  );
  return named([...volumes, ...view.allContainers.flatMap(ofContainer)]);
}

/** The Secrets that only the kubelet reads, and shows to no one but the registry that each is for. */
export function pullSecretReferences({ path, spec }: TemplateView): readonly SecretReference[] {
  return named(
    (spec.imagePullSecrets ?? []).map(({ name }, index) => ({
      name,
      path: path.child('spec', 'imagePullSecrets').index(index, name).child('name'),
    })),
  );
}

/** The empty name is none. */
function named(places: readonly Place[]): readonly SecretReference[] {
  return places.flatMap(({ name, path }) => (name ? [{ name, path }] : []));
}

function ofContainer({ container, path }: ContainerView): readonly Place[] {
  return [
    ...(container.env ?? []).map((variable, index) => ({
      name: variable.valueFrom?.secretKeyRef?.name,
      path: path.child('env').index(index, variable.name).child('valueFrom', 'secretKeyRef', 'name'),
    })),
    ...(container.envFrom ?? []).map((source, index) => ({
      name: source.secretRef?.name,
      path: path.child('envFrom').index(index).child('secretRef', 'name'),
    })),
  ];
}

function ofVolume(volume: Volume, path: FieldPath): readonly Place[] {
  const projected = (volume.projected?.sources ?? []).map((source, index) => ({
    name: source.secret?.name,
    path: path.child('projected', 'sources').index(index).child('secret', 'name'),
  }));
  return [
    { name: volume.secret?.secretName, path: path.child('secret', 'secretName') },
    ...projected,
    { name: volume.csi?.nodePublishSecretRef?.name, path: path.child('csi', 'nodePublishSecretRef', 'name') },
    { name: volume.azureFile?.secretName, path: path.child('azureFile', 'secretName') },
    ...SECRET_REF_VOLUMES.map((kind) => ({
      name: volume[kind]?.secretRef?.name,
      path: path.child(kind, 'secretRef', 'name'),
    })),
  ];
}

const SECRET_REF_VOLUMES = [
  'cephfs',
  'cinder',
  'flexVolume',
  'iscsi',
  'rbd',
  'scaleIO',
  'storageos',
] as const;
