import type { PodSecurityLevel } from '../policy/policy.ts';

const ENFORCE_LABEL = 'pod-security.kubernetes.io/enforce';
const LEVELS: readonly PodSecurityLevel[] = ['privileged', 'baseline', 'restricted'];

/** What Kubernetes enforces on the pods of a namespace: as it does itself, the strictest where the label is wrong. */
export function podSecurityOf(labels: Readonly<Record<string, string>>): PodSecurityLevel {
  const value = labels[ENFORCE_LABEL];
  if (value === undefined) return 'privileged';
  return LEVELS.find((level) => level === value) ?? 'restricted';
}
