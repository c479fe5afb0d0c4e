import type { Pod } from '../src/api/kubernetes.ts';
import { isObject, type JsonObject } from '../src/core/structure/json.ts';
import { type AdmissionRequest, BadRequest } from './review.ts';

/** @throws {BadRequest} for a review of anything else */
export function requirePod({ kind }: Pick<AdmissionRequest, 'kind'>): void {
  if (kind.group !== '' || kind.kind !== 'Pod') {
    throw new BadRequest(`request.kind: this path judges pods, not ${kind.kind}.${kind.group}`);
  }
}

/**
 * A pod of a review, with everything that the injection and the guard read having the Pod API's types. The API server
 * has decoded a real one already; only a hand-made review fails here.
 * @param field where it stands in the review: `request.object` or `request.oldObject`
 * @throws {BadRequest} naming the field that has another type
 */
export function parsePod(object: JsonObject | undefined, field: string): Pod {
  if (object === undefined) throw new BadRequest(`${field} must be a Pod`);
  const metadata = objectAt(object, 'metadata', field);
  const spec = objectAt(object, 'spec', field);
  const labels = metadata['labels'] ?? {};
  if (!isObject(labels) || !Object.values(labels).every((value) => typeof value === 'string')) {
    throw new BadRequest(`${field}.metadata.labels must map strings to strings`);
  }
  for (const container of objectsAt(spec, 'containers', `${field}.spec`)) {
    objectsAt(container, 'env', `${field}.spec.containers[]`);
    objectsAt(container, 'volumeMounts', `${field}.spec.containers[]`);
  }
  objectsAt(spec, 'volumes', `${field}.spec`);
  return object as unknown as Pod;
}

function objectAt(parent: JsonObject, name: string, path: string): JsonObject {
  const value = parent[name];
  if (!isObject(value)) throw new BadRequest(`${path}.${name} must be an object`);
  return value;
}

/** A list of named objects; absent and null are as good as empty, as in the Pod API. */
function objectsAt(parent: JsonObject, name: string, path: string): readonly JsonObject[] {
  const list: unknown = parent[name] ?? [];
  if (!Array.isArray(list) || !list.every(isNamed)) {
    throw new BadRequest(`${path}.${name} must be a list of objects with a name`);
  }
  return list;
}

function isNamed(value: unknown): value is JsonObject {
  return isObject(value) && typeof value['name'] === 'string';
}
