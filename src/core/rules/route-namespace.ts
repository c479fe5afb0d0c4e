import { FieldPath } from '../../api/field-path.ts';
import { invalid, type Finding } from '../findings.ts';
import type { Rule, Subject } from './subject.ts';

const LONGEST_LABEL = 63;
/** Clients ask the proxy for `daskgateway-<namespace>.<name>`, whose first part is one DNS label. */
const SNI_PREFIX = 'daskgateway-';
const LONGEST_NAMESPACE = LONGEST_LABEL - SNI_PREFIX.length;

/** TCP routes are told apart by the server name that a client asks for, and no client can ask for a longer label. */
export const routeNamespace: Rule = {
  id: 'route-namespace',
  check({ cluster }: Subject): readonly Finding[] {
    const { namespace = '' } = cluster.metadata;
    const { routes } = cluster.spec;
    if (!routes || routes === 'none' || namespace.length <= LONGEST_NAMESPACE) return [];
    const message =
      `needs a namespace of at most ${LONGEST_NAMESPACE} characters, to be one label of the server name ` +
      `'${SNI_PREFIX}<namespace>.<name>'; this one has ${namespace.length}: use another namespace, or 'none'`;
    return [
      invalid({ rule: routeNamespace.id, path: FieldPath.of('spec', 'routes'), value: routes, message }),
    ];
  },
};
