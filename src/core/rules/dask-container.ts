import { ROLE_COMPONENT } from '../../api/names.ts';
import { FieldPath } from '../../api/field-path.ts';
import { invalid, required, type Finding } from '../findings.ts';
import type { Rule, Subject } from './subject.ts';
import type { TemplateView } from './template-view.ts';

/** Each template must say which container runs Dask: it gets the command, the credentials and the attention. */
export const daskContainer: Rule = {
  id: 'dask-container',
  check({ form, cluster, templates }: Subject): readonly Finding[] {
    if (form === 'gateway') return templates.flatMap(ofGateway);
    if (form === undefined) return [];
    const findings = templates.flatMap(ofTemplate);
    const { scheduler, worker } = cluster.spec;
    if (scheduler?.template === undefined) findings.push(missing('scheduler'));
    // A cluster may have no workers at all, but replicas of nothing would never come.
    if (worker !== undefined && worker.template === undefined) findings.push(missing('worker'));
    return findings;
  },
};

function ofTemplate({ role, path, spec, containers, dask }: TemplateView): Finding[] {
  if (dask !== undefined) return [];
  const at = path.child('spec', 'containers');
  const message =
    spec.containers === undefined || containers.length === 0
      ? 'at least one container, with the image that runs Dask'
      : `name the container that runs Dask '${ROLE_COMPONENT[role]}', to tell it from the others`;
  return [required({ rule: daskContainer.id, path: at, message })];
}

function missing(role: 'scheduler' | 'worker'): Finding {
  return required({
    rule: daskContainer.id,
    path: FieldPath.of('spec', role, 'template'),
    message: `a pod template: spec.${role}.template.spec.containers with one container and its image is enough`,
  });
}

/** dask-gateway gives its container this name, and knows it by nothing else. */
function ofGateway({ role, path, dask }: TemplateView): readonly Finding[] {
  const name = ROLE_COMPONENT[role];
  if (dask?.container.name === name) return [];
  const at = dask?.path.child('name') ?? path.child('spec', 'containers');
  const message = `the container that dask-gateway makes must stay, and be called '${name}'; remove this`;
  return [invalid({ rule: daskContainer.id, path: at, value: dask?.container.name, message })];
}
