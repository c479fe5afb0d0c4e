type Json = Readonly<Record<string, unknown>>;

/**
 * The RFC 7386 patch that turns one object into another; undefined where they are equal. Lists are replaced whole.
 * Keys of `from` that `to` lacks are removed.
 */
export function mergePatch(from: Json, to: Json): Json | undefined {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(from)) {
    if (to[key] === undefined && from[key] !== undefined) patch[key] = null;
  }
  for (const [key, value] of Object.entries(to)) {
    if (value === undefined) continue;
    const before = from[key];
    if (isMap(before) && isMap(value)) {
      const inner = mergePatch(before, value);
      if (inner !== undefined) patch[key] = inner;
    } else if (JSON.stringify(before) !== JSON.stringify(value)) {
      patch[key] = value;
    }
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
