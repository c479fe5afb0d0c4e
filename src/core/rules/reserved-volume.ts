import { CREDENTIALS_VOLUME, credentialsSecretName } from '../../api/names.ts';
import { invalid, type Finding } from '../findings.ts';
import type { Rule, Subject, TemplateView } from './subject.ts';

/** The volume `dask-credentials` is the cluster's own Secret; no other volume may take its name. */
export const reservedVolume: Rule = {
  id: 'reserved-volume',
  check({ cluster, templates }: Subject): readonly Finding[] {
    const secretName = credentialsSecretName(cluster.metadata.name ?? '');
    return templates.flatMap((view) => ofTemplate(view, secretName));
  },
};

function ofTemplate({ path, spec }: TemplateView, secretName: string): readonly Finding[] {
  return (spec.volumes ?? []).flatMap((volume, index) => {
    if (volume.name !== CREDENTIALS_VOLUME) return [];
    const sources = Object.keys(volume).filter((key) => key !== 'name');
    const ours =
      sources.length === 1 && volume.secret?.secretName === secretName && volume.secret.items === undefined;
    if (ours) return [];
    return [
      invalid({
        rule: reservedVolume.id,
        path: path.child('spec', 'volumes').index(index, volume.name).child('name'),
        value: volume.name,
        message: `this volume is added by daskwarden from the Secret '${secretName}'; choose another name`,
      }),
    ];
  });
}
