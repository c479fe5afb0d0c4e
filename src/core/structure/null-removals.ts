import { type JsonPatchOperation } from '../json-patch.ts';
import { segmentsOf, valueAt } from './place.ts';
import { structuralErrors } from './validator.ts';

/**
 * The operations that take out of a DaskCluster's spec the nulls that a server-side apply is refused for.
 *
 * Seen on a kube-apiserver 1.36, with this schema: a POST or a client-side apply loses the null of every field that is
 * not nullable when it is decoded, before any webhook. A server-side apply keeps it: the conversion to typed values
 * lets it pass, mutating webhooks see it, and then the schema refuses it (`must be of type array: "null"`). So taking
 * it out between the two gives an apply what a POST gets. Not touched, because they are admitted and mean something:
 * nulls in maps (`nodeSelector: {a: null}` is the empty text), in lists (`args: [null]`), under free objects and
 * unknown fields, and dask-gateway's. Out of reach: a null item of `containers`, `initContainers` or `volumes`, which
 * the conversion refuses before any webhook ("may not have a null element"), as the Pod API refuses a nameless one.
 *
 * Only members of objects are taken out, so the operations hold in any order; applied once, none is left.
 */
export function nullRemovals(object: unknown): readonly JsonPatchOperation[] {
  return structuralErrors(object)
    .filter(({ keyword }) => keyword === 'type' || keyword === 'textOr')
    .map(({ instancePath }) => instancePath)
    .filter((pointer) => pointer.startsWith('/spec/') && isNullMember(object, segmentsOf(pointer)))
    .map((path) => ({ op: 'remove', path }));
}

function isNullMember(object: unknown, segments: readonly string[]): boolean {
  return valueAt(object, segments) === null && !Array.isArray(valueAt(object, segments.slice(0, -1)));
}
