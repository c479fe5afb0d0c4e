import { FieldPath } from '../../api/field-path.ts';
import {
  CLUSTER_LABEL,
  COMPONENT_LABEL,
  INSTANCE_LABEL,
  RESERVED_LABEL_PREFIXES,
  ROLE_COMPONENT,
} from '../../api/names.ts';
import { cut, forbidden, invalid, type Finding } from '../findings.ts';
import type { Rule, Subject } from './subject.ts';
import type { TemplateView } from './template-view.ts';

/**
 * Labels by which Services select and the controller finds its pods are set by the controller; a template may repeat
 * them (an object read back from the cluster does), but not say anything else.
 */
export const reservedLabels: Rule = {
  id: 'reserved-labels',
  check(subject: Subject): readonly Finding[] {
    const name = subject.cluster.metadata.name ?? '';
    return [...ofObject(subject, name), ...subject.templates.flatMap((view) => ofTemplate(view, name))];
  },
};

function ofObject({ cluster, form }: Subject, name: string): readonly Finding[] {
  const findings: Finding[] = [];
  const path = FieldPath.of('metadata', 'labels');
  const labels = cluster.metadata.labels ?? {};
  const instance = labels[INSTANCE_LABEL];
  if (form === 'template' && instance !== undefined) {
    findings.push(
      forbidden({
        rule: reservedLabels.id,
        path: path.key(INSTANCE_LABEL),
        value: instance,
        message:
          "marks clusters that dask-gateway's API server created, which would scale and stop this one; remove the label",
      }),
    );
  }
  const owner = labels[CLUSTER_LABEL];
  if (owner !== undefined && name !== '' && owner !== name) {
    findings.push(otherValue(path.key(CLUSTER_LABEL), owner, name));
  }
  return findings;
}

function ofTemplate({ role, path, template }: TemplateView, name: string): readonly Finding[] {
  const findings: Finding[] = [];
  const at = path.child('metadata', 'labels');
  for (const [key, value] of Object.entries(template.metadata?.labels ?? {})) {
    if (key === CLUSTER_LABEL && name !== '') {
      if (value !== name) findings.push(otherValue(at.key(key), value, name));
    } else if (key === COMPONENT_LABEL) {
      if (value !== ROLE_COMPONENT[role]) findings.push(otherValue(at.key(key), value, ROLE_COMPONENT[role]));
    } else if (RESERVED_LABEL_PREFIXES.some((prefix) => key.startsWith(prefix))) {
      findings.push(
        forbidden({
          rule: reservedLabels.id,
          path: at.key(key),
          value,
          message: 'labels with this prefix are set by the controller; remove it',
        }),
      );
    }
  }
  return findings;
}

function otherValue(path: FieldPath, value: string, right: string): Finding {
  return invalid({
    rule: reservedLabels.id,
    path,
    value,
    message: `the controller sets this label to '${cut(right)}'; remove it or write that`,
  });
}
