import type { FieldPath } from '../../api/field-path.ts';
import type { Container } from '../../api/kubernetes.ts';
import { asWarning, invalid, type Finding } from '../findings.ts';
import { restartsInPlace } from '../lifecycle/restart-in-place.ts';
import { restartPolicyOf } from '../render/restart-policy.ts';
import type { Rule, Subject } from './subject.ts';
import type { TemplateView } from './template-view.ts';

/** The CustomResourceDefinition's own rule says the same words. */
export const WORKER_POLICY_TEXT = "must be 'OnFailure' or 'Never': a retired worker would come back";

/**
 * A worker that the scheduler has retired ends with exit code 0 and must stay away. A scheduler that the kubelet
 * starts again in place has lost its workers and its results without anyone counting it.
 */
export const restartPolicy: Rule = {
  id: 'restart-policy',
  check({ templates }: Subject): readonly Finding[] {
    return templates.flatMap((view) => (view.role === 'worker' ? ofWorker(view) : ofScheduler(view)));
  },
};

/** The field that makes the kubelet start the Dask container again. */
interface Restarting {
  readonly path: FieldPath;
  readonly value: unknown;
  readonly byRules: boolean;
}

function ofWorker(view: TemplateView): readonly Finding[] {
  // An API server that does not know the container's own policy yet goes by the pod's.
  const { spec } = view;
  const restarting = spec.restartPolicy === 'Always' ? byPod(view) : restartingAfter(view, [0]);
  if (restarting === undefined) return [];
  const { path, value, byRules } = restarting;
  const message = byRules
    ? 'must not restart after exit code 0: a retired worker would come back'
    : WORKER_POLICY_TEXT;
  return [invalid({ rule: restartPolicy.id, path, value, message })];
}

function ofScheduler(view: TemplateView): readonly Finding[] {
  const restarting = restartingAfter(view, [0, 1]);
  if (restarting === undefined) return [];
  const { path, value } = restarting;
  const message = "'Never' lets the controller restart a failed scheduler together with its workers";
  return [asWarning(invalid({ rule: restartPolicy.id, path, value, message }))];
}

function restartingAfter(view: TemplateView, exitCodes: readonly number[]): Restarting | undefined {
  const podPolicy = restartPolicyOf(view.spec, view.role);
  const restarts = (container: Partial<Container>): boolean =>
    exitCodes.some((exitCode) => restartsInPlace(podPolicy, container, exitCode));
  const { container = {}, path } = view.dask ?? {};
  const { restartPolicy: value, restartPolicyRules: rules } = container as Partial<Container>;
  if (!restarts(container)) return undefined;
  if (path === undefined || !value) return byPod(view);
  return restarts({ restartPolicy: value })
    ? { path: path.child('restartPolicy'), value, byRules: false }
    : { path: path.child('restartPolicyRules'), value: rules, byRules: true };
}

function byPod({ path, spec }: TemplateView): Restarting {
  return { path: path.child('spec', 'restartPolicy'), value: spec.restartPolicy, byRules: false };
}
