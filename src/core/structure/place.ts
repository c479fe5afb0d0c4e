import { FieldPath } from '../../api/field-path.ts';
import { isObject } from './json.ts';
import { mapFields } from './validator.generated.ts';

/** Names longer than this are cut in paths and messages: a key may have megabytes. */
const LONGEST_KEY = 253;

/** The keys and indices that a JSON pointer leads through. */
export function segmentsOf(pointer: string): readonly string[] {
  const segments = pointer.split('/').slice(1);
  if (!pointer.includes('~')) return segments;
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** What stands at a place, or undefined where nothing does. Only what an object has of its own counts. */
export function valueAt(root: unknown, segments: readonly string[]): unknown {
  let value = root;
  for (const segment of segments) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[segment];
  }
  return value;
}

/** The path of a place as Kubernetes writes it; list items carry their name, map entries stand in brackets. */
export function fieldPathOf(root: unknown, segments: readonly string[]): FieldPath {
  let path = FieldPath.root;
  let parent = root;
  let inMap = false;
  for (const segment of segments) {
    const value = valueAt(parent, [segment]);
    // Some of Kubernetes' own paths leave the index out: `volumeMounts.recursiveReadOnly`.
    if (Array.isArray(parent) && /^\d+$/.test(segment)) {
      const name = isObject(value) && typeof value['name'] === 'string' ? value['name'] : undefined;
      path = path.index(Number(segment), name);
      inMap = false;
    } else if (inMap) {
      path = path.key(printable(segment));
      inMap = false;
    } else {
      path = path.child(printable(segment));
      inMap = (mapFields as ReadonlySet<string>).has(segment);
    }
    parent = value;
  }
  return path;
}

/** A key as it may stand in a message: cut where it is long, without half characters. */
export function printable(key: string): string {
  return key.length <= LONGEST_KEY ? key.toWellFormed() : `${key.slice(0, LONGEST_KEY).toWellFormed()}…`;
}
