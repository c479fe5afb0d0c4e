import type { AdmissionContext } from './admission-context.ts';
import { clusterHandlers } from './clusters.ts';
import { connectPod, guardConnect } from './connect.ts';
import { guardPod, injectPod } from './pods.ts';
import type { AdmissionHandler } from './server.ts';

/** The paths under which the webhooks are registered. */
export const PATHS = {
  mutateClusters: '/mutate/daskclusters',
  validateClusters: '/validate/daskclusters',
  mutatePods: '/mutate/pods',
  validatePods: '/validate/pods',
  connectPods: '/mutate/connecting-pods',
  guardConnectingPods: '/validate/connecting-pods',
} as const;

export function admissionHandlers(context: AdmissionContext): Readonly<Record<string, AdmissionHandler>> {
  const clusters = clusterHandlers(context);
  return {
    [PATHS.mutateClusters]: clusters.mutate,
    [PATHS.validateClusters]: clusters.validate,
    [PATHS.mutatePods]: injectPod,
    [PATHS.validatePods]: (request) => guardPod(request, context),
    [PATHS.connectPods]: (request) => connectPod(request, context),
    [PATHS.guardConnectingPods]: (request) => guardConnect(request, context),
  };
}
