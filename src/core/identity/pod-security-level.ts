import type { PodSecurityLevel } from '../policy/policy.ts';

const ENFORCE_LABEL = 'pod-security.kubernetes.io/enforce';
/** From the laxest to the strictest. */
const LEVELS: readonly PodSecurityLevel[] = ['privileged', 'baseline', 'restricted'];

/** What Kubernetes enforces on the pods of a namespace: as it does itself, the strictest where the label is wrong. */
export function podSecurityOf(labels: Readonly<Record<string, string>>): PodSecurityLevel {
  const value = labels[ENFORCE_LABEL];
  if (value === undefined) return 'privileged';
  return LEVELS.find((level) => level === value) ?? 'restricted';
}

/** The one that allows less: what is let pass by it is let pass by both. */
export function stricter(one: PodSecurityLevel, other: PodSecurityLevel): PodSecurityLevel {
  return LEVELS.indexOf(one) > LEVELS.indexOf(other) ? one : other;
}
