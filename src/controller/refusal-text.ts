import type { DaskCluster } from '../api/dask-cluster.ts';
import type { Action } from '../core/plan/action.ts';
import { findingsText } from '../core/plan/findings-text.ts';
import { faultsOfPod } from '../core/pod-verdict/findings-of-refusal.ts';
import type { JudgedPod } from '../core/pod-verdict/judged-pod.ts';
import { templatePods } from '../core/pod-verdict/template-pods.ts';
import type { Installation } from '../core/render/labels.ts';
import type { ApiError } from '../kube/errors.ts';
import { refusalOf } from './refusal-of.ts';

/** Longer than any sensible message, shorter than what a condition or an Event may hold. */
const LONGEST_REFUSAL = 1_000;

export interface RefusedPlan {
  readonly cluster: DaskCluster;
  readonly installation: Installation;
  /** One of them was refused. */
  readonly actions: readonly Action[];
}

/**
 * What a refused write is told as: what is wrong with a pod as admission would have said it, at the places where the
 * user wrote it; of everything else the API server's own words.
 */
export function refusalText(error: ApiError, refused: RefusedPlan): string {
  const pod = refusedPod(error, refused);
  const faults = pod === undefined ? [] : faultsOfPod(pod, refusalOf(error));
  return faults.length > 0 ? findingsText(faults) : error.message.slice(0, LONGEST_REFUSAL).toWellFormed();
}

function refusedPod(
  { details }: ApiError,
  { cluster, installation, actions }: RefusedPlan,
): JudgedPod | undefined {
  const action = actions.find((one) => one.kind === 'create-pod' && one.pod.metadata.name === details?.name);
  if (action?.kind !== 'create-pod') return undefined;
  return templatePods(cluster, installation).find(({ role }) => role === action.role);
}
