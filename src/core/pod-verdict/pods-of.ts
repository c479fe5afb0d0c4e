import { formOf, type DaskCluster } from '../../api/dask-cluster.ts';
import { FieldPath } from '../../api/field-path.ts';
import { gatewayPods } from '../render/gateway/pods.ts';
import type { GatewaySettings } from '../render/gateway/settings.ts';
import type { Installation } from '../render/labels.ts';
import { asCreated } from './as-created.ts';
import type { JudgedPod } from './judged-pod.ts';
import { templatePods } from './template-pods.ts';

/** What pods take from the installation and not from their cluster. */
export interface PodSettings {
  readonly installation: Installation;
  readonly gateway: GatewaySettings;
}

/**
 * The pods of a cluster as they will be created, injection included: a scheduler and a worker. Where the API server has
 * not given a name or a UID yet, placeholders stand for them, the same ones every time.
 * @param sound an object whose present fields have their declared types
 */
export function podsOf(sound: DaskCluster, settings: PodSettings): readonly JudgedPod[] {
  switch (formOf(sound.spec)) {
    case 'template':
      return templatePods(sound, settings.installation);
    case 'gateway':
      return gatewayPods(sound, settings.gateway).map(({ role, pod, pathOf }) => ({
        role,
        pod: asCreated(pod, sound.metadata.name ?? ''),
        cluster: sound,
        path: FieldPath.of('spec', 'config'),
        pathOf,
      }));
    case undefined:
      return [];
  }
}
