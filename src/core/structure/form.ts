import { FieldPath } from '../../api/field-path.ts';
import { forbidden, required, type Finding } from '../findings.ts';
import { isObject, type JsonObject } from './json.ts';

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

const FORM = 'form';

/** Says of a spec whether it is written in exactly one of the two forms. A null is as good as nothing. */
export function judgeForm(spec: JsonObject): readonly Finding[] {
  const path = FieldPath.of('spec');
  const gateway = isGiven(spec, 'config');
  if (gateway === isGiven(spec, 'scheduler')) {
    const message = `Invalid value: ${FORM_TEXT.exactlyOne}`;
    return [{ rule: FORM, level: 'error', reason: 'FieldValueInvalid', path, value: gateway, message }];
  }
  const [foreign, message] = gateway
    ? (['worker', FORM_TEXT.workerBesideConfig] as const)
    : (['replicas', FORM_TEXT.replicasBesideScheduler] as const);
  if (!isGiven(spec, foreign)) return [];
  return [forbidden({ rule: FORM, path: path.child(foreign), value: undefined, message })];
}

/** A worker that there is nothing to make of: what `kubectl scale` leaves where none was given. */
export function judgeWorkerTemplate(spec: JsonObject): readonly Finding[] {
  const worker = spec['worker'];
  if (!isObject(worker) || isGiven(worker, 'template') || isGiven(spec, 'config')) return [];
  const path = FieldPath.of('spec', 'worker', 'template');
  return [required({ rule: 'structure', path, message: FORM_TEXT.workerTemplate })];
}

function isGiven(object: JsonObject, field: string): boolean {
  return object[field] !== undefined && object[field] !== null;
}
