import type { Volume } from '../../api/kubernetes.ts';
import type { FieldPath } from '../../api/field-path.ts';
import { credentialsSecretName } from '../../api/names.ts';
import { cut, forbidden, type Finding } from '../findings.ts';
import type { ContainerView, Rule, Subject, TemplateView } from './subject.ts';

/** One place of a pod that names a Secret of its namespace. */
interface SecretReference {
  readonly name: string | undefined;
  readonly path: FieldPath;
}

const CREDENTIALS_PREFIX = credentialsSecretName('');

/** Whoever reads another cluster's Secret can connect to it, stop it and pose as its workers. */
export const foreignCredentials: Rule = {
  id: 'foreign-credentials',
  check({ cluster, templates }: Subject): readonly Finding[] {
    // Before the API server has generated the name every such Secret is another cluster's.
    const own = credentialsSecretName(cluster.metadata.name || '<name>');
    return templates.flatMap(secretReferences).flatMap(({ name, path }) => {
      if (name === undefined || !name.startsWith(CREDENTIALS_PREFIX) || name === own) return [];
      return [
        forbidden({
          rule: foreignCredentials.id,
          path,
          value: name,
          message: `Secrets named '${CREDENTIALS_PREFIX}…' hold the credentials of clusters, and '${cut(name)}' is another cluster's; this one's is '${cut(own)}'`,
        }),
      ];
    });
  },
};

function secretReferences(view: TemplateView): SecretReference[] {
  const { path, spec } = view;
  return [
    ...(spec.volumes ?? []).flatMap((volume, index) =>
      ofVolume(volume, path.child('spec', 'volumes').index(index, volume.name)),
    ),
    ...(spec.imagePullSecrets ?? []).map((reference, index) => ({
      name: reference.name,
      path: path.child('spec', 'imagePullSecrets').index(index, reference.name).child('name'),
    })),
    ...[...view.containers, ...view.initContainers].flatMap(ofContainer),
  ];
}

function ofContainer({ container, path }: ContainerView): SecretReference[] {
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

function ofVolume(volume: Volume, path: FieldPath): SecretReference[] {
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
