import { cut, warning, type Finding } from '../findings.ts';
import type { Rule, Subject } from './subject.ts';
import type { TemplateView } from './template-view.ts';

/** Where the pods run and what they are called is the cluster's affair: a template that says it is not heard. */
export const templateNamespace: Rule = {
  id: 'template-namespace',
  check({ form, cluster, templates }: Subject): readonly Finding[] {
    if (form !== 'template') return [];
    return templates.flatMap((view) => [...ofNamespace(view, cluster.metadata.namespace), ...ofName(view)]);
  },
};

/** @param own absent where a file leaves it to `kubectl --namespace` */
function ofNamespace({ path, template }: TemplateView, own: string | undefined): readonly Finding[] {
  const value = template.metadata?.namespace;
  if (!value || !own || value === own) return [];
  const message = `has no effect: pods run in the cluster's namespace '${cut(own)}'`;
  return [warning({ rule: templateNamespace.id, path: path.child('metadata', 'namespace'), value, message })];
}

function ofName({ path, template }: TemplateView): readonly Finding[] {
  const value = template.metadata?.name;
  if (!value) return [];
  const message = 'has no effect: each pod gets a name of its own; remove it';
  return [warning({ rule: templateNamespace.id, path: path.child('metadata', 'name'), value, message })];
}
