import { isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';

/** A text may have tens of thousands of keys in one map, and as many places are asked for. */
const pairsByKey = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

/** Where in the text a value of a parsed document stands, or the nearest thing above it that is written. */
export function offsetAt(root: unknown, keys: readonly (string | number)[]): number {
  let node = root;
  let offset = offsetOf(root);
  for (const key of keys) {
    if (isMap(node)) {
      const pair = pairsOf(node).get(String(key));
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
  return (node as Node | null | undefined)?.range?.[0] ?? 0;
}

/** The name of the field that a key stands for; undefined where it is a map, a list or nothing. */
export function fieldOf(key: unknown): string | undefined {
  return isScalar<string | number | boolean | null>(key) && key.value !== null
    ? String(key.value)
    : undefined;
}

/** Of a key that is there twice the last one counts. */
function pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
  let pairs = pairsByKey.get(map);
  if (pairs === undefined) {
    pairs = new Map(map.items.map((pair) => [fieldOf(pair.key) ?? '', pair]));
    pairsByKey.set(map, pairs);
  }
  return pairs;
}
