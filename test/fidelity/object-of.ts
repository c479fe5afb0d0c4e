import type { Json } from '../support/random-pod-names.ts';

/** A mutation may have made anything of it: what is no object has no fields. */
export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
