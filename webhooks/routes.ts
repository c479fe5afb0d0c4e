import { mutateCluster, validateCluster } from './clusters.ts';
import { guardPod, injectPod, type PodPolicy } from './pods.ts';
import type { AdmissionHandler } from './server.ts';

/** The paths under which the webhooks are registered. */
export const PATHS = {
  mutateClusters: '/mutate/daskclusters',
  validateClusters: '/validate/daskclusters',
  mutatePods: '/mutate/pods',
  validatePods: '/validate/pods',
} as const;

export function admissionHandlers(policy: PodPolicy): Readonly<Record<string, AdmissionHandler>> {
  return {
    [PATHS.mutateClusters]: mutateCluster,
    [PATHS.validateClusters]: validateCluster,
    [PATHS.mutatePods]: injectPod,
    [PATHS.validatePods]: (request) => guardPod(request, policy),
  };
}
