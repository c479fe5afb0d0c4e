import { invalid, type Finding } from '../findings.ts';
import { parseQuantity } from '../quantity.ts';
import type { ContainerView, Rule, Subject } from './subject.ts';

/** Kubernetes refuses such a pod, but only when the controller creates it. */
export const requestOverLimit: Rule = {
  id: 'request-over-limit',
  check({ templates }: Subject): readonly Finding[] {
    return templates.flatMap(({ containers, initContainers }) =>
      [...containers, ...initContainers].flatMap(ofContainer),
    );
  },
};

function ofContainer({ container, path }: ContainerView): readonly Finding[] {
  const { requests = {}, limits = {} } = container.resources ?? {};
  return Object.entries(requests).flatMap(([resource, request]) => {
    const limit = Object.hasOwn(limits, resource) ? limits[resource] : undefined;
    const [asked, most] = [parseQuantity(request), parseQuantity(limit)];
    if (asked === undefined || most === undefined || asked <= most) return [];
    return [
      invalid({
        rule: requestOverLimit.id,
        path: path.child('resources', 'requests').key(resource),
        value: request,
        message: `must be less than or equal to the ${resource} limit of ${String(limit)}`,
      }),
    ];
  });
}
