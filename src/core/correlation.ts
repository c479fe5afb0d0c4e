import { isObject } from './structure/json.ts';

/**
 * By which all that was said of one version of an object is found again: the admission that let it in, and what the
 * controller does about it. `<uid>/<generation>`, which the API server has set before the validating webhooks see an
 * object, also a new one, and which every reader knows without being told. Undefined where either is not there.
 */
export function correlationId(object: unknown): string | undefined {
  const metadata = isObject(object) ? object['metadata'] : undefined;
  if (!isObject(metadata)) return undefined;
  const { uid, generation } = metadata;
  if (typeof uid !== 'string' || uid === '' || typeof generation !== 'number') return undefined;
  return `${uid}/${generation}`;
}
