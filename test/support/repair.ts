type Node = Record<string | number, unknown>;

/**
 * A copy of a pod without what the API server's causes name: `spec.containers[0].env[1].value` is taken out, or,
 * where it is not there, what should hold it.
 */
export function withoutFaults<Pod extends object>(pod: Pod, fields: readonly string[]): Pod {
  const copy = structuredClone(pod);
  // From the last list item to the first, so that the places of the others stay what they are.
  for (const field of fields.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))) {
    remove(copy, field);
  }
  return copy;
}

function remove(pod: object, field: string): void {
  const places: { readonly parent: Node; readonly key: string | number }[] = [];
  let parent: unknown = pod;
  for (const named of keysOf(field)) {
    // Some causes write a field as Go does: `spec.HostPID`.
    const key = typeof named === 'string' ? named.replace(/^[A-Z]/, (letter) => letter.toLowerCase()) : named;
    if (typeof parent !== 'object' || parent === null || !(key in parent)) break;
    places.push({ parent: parent as Node, key });
    parent = (parent as Node)[key];
  }
  const place = places.at(-1);
  // Nothing of it but the spec itself is there.
  if (place === undefined || places.length === 1) return;
  if (Array.isArray(place.parent)) place.parent.splice(Number(place.key), 1);
  else Reflect.deleteProperty(place.parent, place.key);
}

function keysOf(field: string): (string | number)[] {
  return [...field.matchAll(/\[(\d+)\]|\[([^\]]*)\]|([^.[\]]+)/g)].map(([, index, key, name]) =>
    index === undefined ? (key ?? name ?? '') : Number(index),
  );
}
