type Node = Record<string | number, unknown>;

/**
 * A copy of a pod without what the API server's causes name: `spec.containers[0].env[1].value` is taken out, or,
 * where it is not there, what should hold it. Nothing is left of a path that leads to a required part.
 */
export function withoutFaults(pod: object, fields: readonly string[]): object {
  const copy = structuredClone(pod) as Node;
  // From the last list item to the first, so that the places of the others stay what they are.
  for (const field of fields.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true })))
    remove(copy, field);
  return copy;
}

function remove(pod: Node, field: string): void {
  const places: { readonly parent: Node; readonly key: string | number }[] = [];
  let parent: unknown = pod;
  for (const key of keysOf(field)) {
    if (typeof parent !== 'object' || parent === null || !(key in parent)) break;
    places.push({ parent: parent as Node, key });
    parent = (parent as Node)[key];
  }
  const place = places.at(-1);
  if (place === undefined) return;
  if (Array.isArray(place.parent)) place.parent.splice(Number(place.key), 1);
  else Reflect.deleteProperty(place.parent, place.key);
}

function keysOf(field: string): (string | number)[] {
  return [...field.matchAll(/\[(\d+)\]|\[([^\]]*)\]|([^.[\]]+)/g)].map(([, index, key, name]) =>
    index === undefined ? (key ?? name ?? '') : Number(index),
  );
}
