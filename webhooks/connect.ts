import { CONNECT_LABEL } from '../src/api/names.ts';
import { FieldPath } from '../src/api/field-path.ts';
import { asWarning, invalid, type Finding } from '../src/core/findings.ts';
import type { ConnectTarget } from '../src/core/identity/connect-target.ts';
import {
  connectQuestion,
  connectRefused,
  connectSubject,
  judgeConnect,
} from '../src/core/identity/connect.ts';
import { connectPatch } from '../src/core/render/connect.ts';
import type { AdmissionContext } from './admission-context.ts';
import { allow, type Decision, deny } from './decision.ts';
import { parsePod, requirePod } from './pod-shape.ts';
import type { AdmissionRequest } from './review.ts';

export type ConnectContext = Pick<AdmissionContext, 'mayDo' | 'clusterOf'>;

/**
 * Gives a pod with the connect label the certificate and key of the cluster that it names, where its creator may have
 * them. Rejects where the API server does not say, so that the registered failurePolicy refuses.
 */
export async function connectPod(request: AdmissionRequest, context: ConnectContext): Promise<Decision> {
  return decide(request, context, false);
}

/**
 * Judges the pod once more as it will be stored: whatever came after the injection, a pod with the label has exactly
 * what it may have. On update nobody sets or changes the label.
 */
export async function guardConnect(request: AdmissionRequest, context: ConnectContext): Promise<Decision> {
  return decide(request, context, true);
}

async function decide(
  request: AdmissionRequest,
  { mayDo, clusterOf }: ConnectContext,
  isFinal: boolean,
): Promise<Decision> {
  requirePod(request);
  if (request.operation !== 'CREATE' && request.operation !== 'UPDATE') return allow();
  const { namespace, requester } = request;
  const pod = parsePod(request.object, 'request.object');
  const isUpdate = request.operation === 'UPDATE';
  const oldPod = isUpdate ? parsePod(request.oldObject, 'request.oldObject') : undefined;
  const { findings, target } = judgeConnect({ pod, oldPod, namespace, isFinal });
  if (findings.length > 0) {
    const isInvalid = findings.every(({ reason }) => reason === 'FieldValueInvalid');
    return deny(isInvalid ? 'Invalid' : 'Forbidden', findings);
  }
  if (target === undefined) return allow();
  const subject = connectSubject(pod, namespace, requester);
  const isAllowed = await mayDo(subject, connectQuestion(target));
  if (!isAllowed) return deny('Forbidden', [connectRefused(subject, target)]);
  if (isFinal) return allow();
  const isThere = clusterOf(target.namespace, target.cluster) !== undefined;
  return allow(isThere ? [] : [notThere(target)], connectPatch(pod, target));
}

/** Told only to those who may connect: nobody else learns which clusters there are. */
function notThere({ namespace, cluster }: ConnectTarget): Finding {
  const finding = invalid({
    rule: 'connect',
    path: FieldPath.of('metadata', 'labels').key(CONNECT_LABEL),
    value: cluster,
    message: `there is no such DaskCluster in namespace '${namespace}'; the pod waits until there is`,
  });
  return asWarning(finding);
}
