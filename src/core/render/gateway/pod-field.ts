import type { Segments } from './traced.ts';

const STEP = /\[(?<key>.*?)\](?=[.[]|$)|\.?(?<field>[^.[]+)/gsu;

/**
 * The keys and indices of a field path as Kubernetes writes it: `spec.containers[0].resources.limits[cpu]`. Keys in
 * brackets may have dots and slashes.
 */
export function segmentsOfPodField(field: string): Segments {
  return [...field.matchAll(STEP)].map(({ groups = {} }) => groups['key'] ?? groups['field'] ?? '');
}
