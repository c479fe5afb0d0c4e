import type { KubeObject } from '../api/kubernetes.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The object without what only API clients need: often more than half of a small object. */
export function stripBookkeeping<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata as T['metadata'] & { managedFields?: unknown };
  const { annotations } = metadata;
  if (annotations?.[LAST_APPLIED] === undefined) return { ...object, metadata };
  const { [LAST_APPLIED]: __, ...rest } = annotations;
  return { ...object, metadata: { ...metadata, annotations: rest } };
}

/** Freezes the value and all within it, which must be JSON: whoever changes a cached object throws. No recursion. */
export function deepFreeze<T>(value: T): T {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    Object.freeze(next);
    for (const key in next) pending.push((next as Record<string, unknown>)[key]);
  }
  return value;
}
