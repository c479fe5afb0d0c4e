import type { FieldPath } from '../../api/field-path.ts';
import type { Container } from '../../api/kubernetes.ts';
import { cut, invalid, type Finding } from '../findings.ts';
import { parseQuantity } from '../quantity.ts';
import type { Rule, Subject } from './subject.ts';

/** Kubernetes refuses such a pod, but only when the controller creates it. */
export const requestOverLimit: Rule = {
  id: 'request-over-limit',
  check({ templates }: Subject): readonly Finding[] {
    return templates.flatMap(({ path, spec, allContainers }) => [
      ...ofResources(spec.resources, path.child('spec')),
      ...allContainers.flatMap((view) => ofResources(view.container.resources, view.path)),
    ]);
  },
};

/** @param path of what has the resources: a container or a whole pod */
function ofResources(resources: Container['resources'], path: FieldPath): readonly Finding[] {
  const { requests = {}, limits = {} } = resources ?? {};
  return Object.entries(requests).flatMap(([resource, request]) => {
    const limit = Object.hasOwn(limits, resource) ? limits[resource] : undefined;
    const [asked, most] = [parseQuantity(request), parseQuantity(limit)];
    if (asked === undefined || most === undefined || asked <= most) return [];
    return [
      invalid({
        rule: requestOverLimit.id,
        path: path.child('resources', 'requests').key(resource),
        value: request,
        message: `must be less than or equal to the ${cut(resource)} limit of ${cut(String(limit))}`,
      }),
    ];
  });
}
