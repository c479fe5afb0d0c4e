import { FieldPath } from '../../api/field-path.ts';
import { REQUESTED_BY_ANNOTATION } from '../../api/names.ts';
import { asWarning, cut, forbidden, type Finding } from '../findings.ts';
import { jsonPointer, type JsonPatchOperation } from '../json-patch.ts';
import { isObject } from '../structure/json.ts';

const RULE = 'requested-by';

/**
 * The operations by which a new DaskCluster says who created it, and by which an update keeps that. Only adds the
 * annotation where it is absent: what is written there wrongly is for {@link judgeRequestedBy} to refuse. Of objects
 * that are no DaskClusters nothing is changed.
 * @param oldObject the stored one; undefined on create
 * @param username who asks, as the API server authenticated them; empty: nothing is known
 */
export function requestedByPatch(
  object: unknown,
  oldObject: unknown,
  username: string,
): readonly JsonPatchOperation[] {
  const value = oldObject === undefined ? username : requestedBy(oldObject);
  if (typeof value !== 'string' || value === '' || requestedBy(object) !== undefined) return [];
  const metadata = member(object, 'metadata');
  const annotations = member(metadata, 'annotations');
  if (isObject(annotations)) {
    return [{ op: 'add', path: jsonPointer('metadata', 'annotations', REQUESTED_BY_ANNOTATION), value }];
  }
  // A patch into anything else would not apply, which is an internal error to the user.
  if (!isObject(metadata) || annotations !== undefined) return [];
  const made = { [REQUESTED_BY_ANNOTATION]: value };
  return [{ op: 'add', path: jsonPointer('metadata', 'annotations'), value: made }];
}

/**
 * Whether the annotation says the truth. On create: the requester's name, or nothing, since the mutating half may be
 * away. On update: what is stored. Where nothing is stored, an updater may enter their own name, and so take the
 * cluster upon themselves, but nobody else's.
 *
 * That it is taken away is refused as well (the mutating half puts it back), or somebody could shed their limits while
 * that half is away. But not from an object that is stopped by the same write or is being deleted: those may never
 * depend on it, and are only warned.
 */
export function judgeRequestedBy(object: unknown, oldObject: unknown, username: string): readonly Finding[] {
  const value = requestedBy(object);
  const stored = requestedBy(oldObject);
  if (value === stored || isBeingDeleted(oldObject)) return [];
  if (stored === undefined) return value === username ? [] : [forged(value, username, oldObject)];
  if (value !== undefined) return [changed(value, stored)];
  return [member(member(object, 'spec'), 'active') === false ? asWarning(removed()) : removed()];
}

const PATH = FieldPath.of('metadata', 'annotations').key(REQUESTED_BY_ANNOTATION);

function forged(value: unknown, username: string, oldObject: unknown): Finding {
  const remedy = oldObject === undefined ? 'leave it out' : `leave it out, or write '${cut(username)}'`;
  return forbidden({
    rule: RULE,
    path: PATH,
    value,
    message: `says who created the cluster, and you are '${cut(username)}'; ${remedy}`,
  });
}

function changed(value: unknown, stored: unknown): Finding {
  return forbidden({
    rule: RULE,
    path: PATH,
    value,
    message: `says who created the cluster, and may not be changed; leave it out, or write '${cut(String(stored))}'`,
  });
}

function removed(): Finding {
  return forbidden({
    rule: RULE,
    path: PATH,
    value: undefined,
    message: 'says who created the cluster, and may not be taken away; write the stored value',
  });
}

function requestedBy(object: unknown): unknown {
  const annotations = member(member(object, 'metadata'), 'annotations');
  return isObject(annotations) && Object.hasOwn(annotations, REQUESTED_BY_ANNOTATION)
    ? (annotations[REQUESTED_BY_ANNOTATION] ?? undefined)
    : undefined;
}

function isBeingDeleted(object: unknown): boolean {
  return typeof member(member(object, 'metadata'), 'deletionTimestamp') === 'string';
}

/** A member of an object; undefined where it is absent or null, or there is no object. */
function member(object: unknown, name: string): unknown {
  return isObject(object) && Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined;
}
