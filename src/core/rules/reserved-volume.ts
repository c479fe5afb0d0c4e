import type { Volume } from '../../api/kubernetes.ts';
import { CREDENTIALS_VOLUME, credentialsSecretName } from '../../api/names.ts';
import { cut, invalid, type Finding } from '../findings.ts';
import type { Rule, Subject } from './subject.ts';
import type { TemplateView } from './template-view.ts';

/** The volume `dask-credentials` is the cluster's own Secret; no other volume may take its name. */
export const reservedVolume: Rule = {
  id: 'reserved-volume',
  check({ cluster, templates }: Subject): readonly Finding[] {
    // Before the API server has generated the name nothing can be the cluster's Secret.
    const secretName = credentialsSecretName(cluster.metadata.name || '<name>');
    return templates.flatMap((view) => ofTemplate(view, secretName));
  },
};

function ofTemplate({ path, spec }: TemplateView, secretName: string): readonly Finding[] {
  return (spec.volumes ?? []).flatMap((volume, index) => {
    if (volume.name !== CREDENTIALS_VOLUME) return [];
    if (isWholeSecret(volume, secretName)) return [];
    return [
      invalid({
        rule: reservedVolume.id,
        path: path.child('spec', 'volumes').index(index, volume.name).child('name'),
        value: volume.name,
        message: `this volume is added by daskwarden from the Secret '${cut(secretName)}'; choose another name`,
      }),
    ];
  });
}

/** Whether a volume is what daskwarden itself would add, but for the files' mode. */
function isWholeSecret({ name: _name, secret, ...otherSources }: Volume, secretName: string): boolean {
  return (
    Object.keys(otherSources).length === 0 &&
    secret?.secretName === secretName &&
    (secret.items ?? []).length === 0 &&
    // An optional one would let Dask start, and fail, before its Secret is there.
    secret.optional !== true
  );
}
