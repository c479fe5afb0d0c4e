export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The deepest nesting of lists and objects that is looked into. */
export const DEEPEST = 64;

/** Whether lists and objects are nested deeper than `levels`; looks no further than that. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // A list is one already, and most values of an object are texts: this is asked of every template.
  const children = Array.isArray(value) ? (value as readonly unknown[]) : Object.values(value);
  for (const child of children) {
    if (typeof child === 'object' && isDeeperThan(child, levels - 1)) return true;
  }
  return false;
}

/** Whether two parsed JSON values are equal, in any order of their fields. Goes as deep as the shallower one. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => isSameJson(item, other[index]))
    );
  }
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    // Of its own: `__proto__` is a field like others.
    keys.every((key) => Object.hasOwn(other, key) && isSameJson(one[key], other[key]))
  );
}
