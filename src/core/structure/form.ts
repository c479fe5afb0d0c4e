import type { DaskClusterSpec } from '../../api/dask-cluster.ts';
import { FieldPath } from '../../api/field-path.ts';
import { forbidden, invalid, required, type Finding } from '../findings.ts';

/** What is said of the form; the CustomResourceDefinition's own rules say the same words. */
export const FORM_TEXT = {
  exactlyOne:
    "exactly one of `scheduler` (template form, written by people and GitOps) and `config` (gateway form, written by dask-gateway's API server) must be given",
  workerBesideConfig:
    '`worker` belongs to the template form; this cluster is in the gateway form and is scaled by dask-gateway: `cluster.scale(n)` of its Python client',
  replicasBesideScheduler:
    '`replicas` belongs to the gateway form; the number of workers of the template form is `spec.worker.replicas`',
  workerTemplate: 'a pod template must be given beside `replicas`; without workers leave `spec.worker` out',
} as const;

/** Says of a spec whose parts have their declared types whether it is written in exactly one of the two forms. */
export function judgeForm(spec: DaskClusterSpec): readonly Finding[] {
  const path = FieldPath.of('spec');
  const rule = 'form';
  const gateway = spec.config !== undefined;
  const template = spec.scheduler !== undefined;
  if (gateway === template) {
    return [invalid({ rule, path, value: Object.keys(spec), message: FORM_TEXT.exactlyOne })];
  }
  if (gateway) {
    return spec.worker === undefined
      ? []
      : [
          forbidden({
            rule,
            path: path.child('worker'),
            value: spec.worker,
            message: FORM_TEXT.workerBesideConfig,
          }),
        ];
  }
  return spec.replicas === undefined
    ? []
    : [
        forbidden({
          rule,
          path: path.child('replicas'),
          value: spec.replicas,
          message: FORM_TEXT.replicasBesideScheduler,
        }),
      ];
}

/** A worker of the template form that has nothing to be made of, as `kubectl scale` leaves one that was never given. */
export function judgeWorkerTemplate(spec: DaskClusterSpec): readonly Finding[] {
  if (spec.worker === undefined || spec.worker.template !== undefined || spec.config !== undefined) return [];
  const path = FieldPath.of('spec', 'worker', 'template');
  return [required({ rule: 'structure', path, message: FORM_TEXT.workerTemplate })];
}
