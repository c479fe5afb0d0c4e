import { isMap, isScalar, isSeq, type Node } from 'yaml';

/** Where in the text a value of a parsed document stands, or the nearest thing above it that is written. */
export function offsetAt(root: unknown, keys: readonly (string | number)[]): number {
  let node = root;
  let offset = offsetOf(root);
  for (const key of keys) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (pair === undefined) return offset;
      offset = offsetOf(pair.key);
      node = pair.value;
    } else if (isSeq(node) && typeof key === 'number') {
      const item = node.items[key];
      if (item === undefined) return offset;
      offset = offsetOf(item);
      node = item;
    } else {
      return offset;
    }
  }
  return offset;
}

/** Where in the text a node of a parsed document begins. */
export function offsetOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0;
}
