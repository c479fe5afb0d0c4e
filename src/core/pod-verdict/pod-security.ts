import type { FieldPath } from '../../api/field-path.ts';
import type { PodSpec } from '../../api/kubernetes.ts';
import type { Finding } from '../findings.ts';
import type { JudgedPod } from './judged-pod.ts';

export const POD_SECURITY = 'pod-security';

interface Violation {
  readonly reason: string;
  readonly message: string;
}

/** Fields of a pod that Kubernetes names by themselves: `hostNetwork=true`. */
const POD_FIELD = /^(?<field>host\w+)=/u;
const KIND = /\b(?<kind>container|volume)s? (?<names>"[^"]*"(?:, "[^"]*")*)/gu;
const LISTS = {
  container: ['containers', 'initContainers', 'ephemeralContainers'],
  volume: ['volumes'],
} as const;

/**
 * Kubernetes says in words, not by paths, what breaks a level of pod security: a finding for each container, volume or
 * field that its text names, else one for the pod's spec.
 */
export function podSecurityFindings(pod: JudgedPod, violation: Violation, level: string): readonly Finding[] {
  const { reason, message } = violation;
  const detail = message === '' ? reason : `${reason} (${message})`;
  return placesOf(pod, message).map((path) => ({
    rule: POD_SECURITY,
    level: 'error',
    reason: 'FieldValueForbidden',
    path,
    value: detail,
    message: `Forbidden: violates PodSecurity "${level}": ${detail}`,
  }));
}

function placesOf({ pod, pathOf }: JudgedPod, message: string): readonly FieldPath[] {
  // The pod's own security context mends it for all of them.
  if (message.startsWith('pod ')) return [pathOf('spec.securityContext')];
  const fields = message.split(', ').flatMap((part) => POD_FIELD.exec(part)?.groups?.['field'] ?? []);
  const items = [...message.matchAll(KIND)].flatMap(({ groups = {} }) =>
    itemsNamed(pod.spec, groups['kind'] === 'volume' ? 'volume' : 'container', groups['names'] ?? ''),
  );
  const places = [...fields.map((field) => `spec.${field}`), ...new Set(items)];
  return (places.length === 0 ? ['spec'] : places).map(pathOf);
}

function itemsNamed(spec: PodSpec, kind: keyof typeof LISTS, quoted: string): readonly string[] {
  const names = new Set([...quoted.matchAll(/"(?<name>[^"]*)"/gu)].map(({ groups = {} }) => groups['name']));
  return LISTS[kind].flatMap((list) =>
    (spec[list] ?? []).flatMap(({ name }, index) => (names.has(name) ? [`spec.${list}[${index}]`] : [])),
  );
}
