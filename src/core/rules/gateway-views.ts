import type { DaskCluster, PodTemplate } from '../../api/dask-cluster.ts';
import { gatewayPods } from '../render/gateway/pods.ts';
import { DEFAULT_GATEWAY_SETTINGS } from '../render/gateway/settings.ts';
import { soundPartOf } from '../structure/judge-structure.ts';
import { templateView, type TemplateView } from './template-view.ts';

/** `spec`, the role and `template`: what a path in a view begins with. */
const PREFIX_LENGTH = 3;

/**
 * The pods of a gateway-form cluster as the rules look at templates. What dask-gateway adds to pods and containers has
 * no declared types: what is of the wrong one is left out here, and told by Kubernetes' own validation.
 */
export function gatewayTemplateViews(cluster: DaskCluster): readonly TemplateView[] {
  return gatewayPods(cluster, DEFAULT_GATEWAY_SETTINGS).map(({ role, pod, placeOf }) => {
    const { metadata, spec } = pod;
    const { labels, annotations } = metadata;
    const template = { metadata: { labels, annotations }, spec };
    const view = templateView(role, soundTemplate(template), (path) =>
      placeOf(path.keys().slice(PREFIX_LENGTH)),
    );
    // It stays the first, whatever it is called and whatever stands beside it.
    return { ...view, dask: view.containers[0] };
  });
}

function soundTemplate(template: object): PodTemplate {
  const sound = soundPartOf({ metadata: { name: 'x' }, spec: { worker: { template } } });
  // Nothing above the template is unsound, so that all of it is still there.
  const { spec } = sound as { readonly spec: { readonly worker: { readonly template: PodTemplate } } };
  return spec.worker.template;
}
