import type { FieldPath } from '../../../api/field-path.ts';
import type { Volume } from '../../../api/kubernetes.ts';
import type { TemplateView } from '../template-view.ts';
import type { Reaching } from './place.ts';

/**
 * Kinds of volumes that hold nothing but what is the namespace's or the pod's own. Listed are the good ones, so that
 * a kind of a newer Kubernetes reaches nothing by being unknown. Secrets are judged by their names. A CSI volume
 * written in a pod is not among them: what its driver mounts, and with whose rights, nobody here can tell.
 */
const OWN_VOLUMES: ReadonlySet<string> = new Set([
  'configMap',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

/** A token or a certificate of the pod's service account says no more than the account, which is judged by its name. */
const OWN_SOURCES: ReadonlySet<string> = new Set([
  'clusterTrustBundle',
  'configMap',
  'downwardAPI',
  'podCertificate',
  'secret',
  'serviceAccountToken',
]);

/** Volumes that reach a node or a storage server by themselves. */
export function reachesStorage({ path, spec }: TemplateView): readonly Reaching[] {
  return (spec.volumes ?? []).flatMap((volume, index) => {
    const at = path.child('spec', 'volumes').index(index, volume.name);
    return [...ofKinds(volume, at), ...ofSources(volume, at)];
  });
}

function ofKinds(volume: Volume, at: FieldPath): readonly Reaching[] {
  const { name: _name, ...kinds } = volume;
  return foreignTo(OWN_VOLUMES, kinds, at, 'use a persistentVolumeClaim, configMap or emptyDir');
}

function ofSources({ projected }: Volume, at: FieldPath): readonly Reaching[] {
  return (projected?.sources ?? []).flatMap((source, index) =>
    foreignTo(OWN_SOURCES, { ...source }, at.child('projected', 'sources').index(index), 'use a configMap'),
  );
}

function foreignTo(
  own: ReadonlySet<string>,
  kinds: Readonly<Record<string, unknown>>,
  at: FieldPath,
  possible: string,
): readonly Reaching[] {
  return Object.entries(kinds)
    .filter(([kind, value]) => value !== undefined && !own.has(kind))
    .map(([kind, value]) => ({
      path: at.child(kind),
      value,
      message: `volumes of this kind reach beyond the namespace; ${possible}`,
    }));
}
