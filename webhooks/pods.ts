import { CLUSTER_LABEL } from '../src/api/names.ts';
import { judgePod } from '../src/core/posing.ts';
import { credentialsPatch } from '../src/core/render/credentials.ts';
import type { AdmissionContext } from './admission-context.ts';
import { allow, type Decision, deny } from './decision.ts';
import { parsePod, requirePod } from './pod-shape.ts';
import type { AdmissionRequest } from './review.ts';

/** Gives a cluster's pod its credentials as it is created; whether it may be created is for {@link guardPod}. */
export function injectPod(request: AdmissionRequest): Decision {
  requirePod(request);
  if (request.operation !== 'CREATE') return allow();
  const pod = parsePod(request.object, 'request.object');
  const cluster = pod.metadata.labels?.[CLUSTER_LABEL];
  return cluster === undefined ? allow() : allow([], credentialsPatch(pod, cluster));
}

/** Refuses pods that pose as a cluster's: its Service would select them and its credentials would be theirs. */
export function guardPod(request: AdmissionRequest, { policy }: Pick<AdmissionContext, 'policy'>): Decision {
  requirePod(request);
  if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return allow();
  const findings = judgePod({
    pod: parsePod(request.object, 'request.object'),
    oldPod: request.operation === 'UPDATE' ? parsePod(request.oldObject, 'request.oldObject') : undefined,
    username: request.requester.username,
    podCreators: policy().podCreators,
  });
  return findings.some((finding) => finding.level === 'error')
    ? deny('Forbidden', findings)
    : allow(findings);
}
