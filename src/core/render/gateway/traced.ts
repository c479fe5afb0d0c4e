import { isObject } from '../../structure/json.ts';

/** The keys and indices that lead from an object to a value. */
export type Segments = readonly string[];

/**
 * A value of which every part knows where it was written. Written are the values that stand somewhere as they are;
 * made are those that follow from what stands there, or, without a place, from nothing that anybody wrote.
 */
export type Traced =
  | { readonly kind: 'written'; readonly value: unknown; readonly at: Segments }
  | { readonly kind: 'made'; readonly value: unknown; readonly at: Segments | undefined }
  | {
      readonly kind: 'fields';
      readonly fields: ReadonlyMap<string, Traced>;
      /** Where a field that is not there would be written. */
      readonly at: Segments | undefined;
    }
  | { readonly kind: 'items'; readonly items: readonly Traced[]; readonly at: Segments | undefined };

/** A value as it stands at a place. */
export function written(value: unknown, at: Segments): Traced {
  return { kind: 'written', value, at };
}

/** A value that follows from what stands at a place; without one it is nobody's but ours. */
export function made(value: unknown, at?: Segments): Traced {
  return { kind: 'made', value, at };
}

export function fields(entries: Readonly<Record<string, Traced | undefined>>, at?: Segments): Traced {
  const present = Object.entries(entries).filter(
    (entry): entry is [string, Traced] => entry[1] !== undefined,
  );
  return { kind: 'fields', fields: new Map(present), at };
}

export function items(list: readonly Traced[], at?: Segments): Traced {
  return { kind: 'items', items: list, at };
}

/**
 * What dask-gateway makes of a value and what is to be added to it: objects are merged, lists are joined, and anything
 * else is replaced, by null too.
 */
export function merge(base: Traced, extra: unknown, at: Segments): Traced {
  const open = opened(base);
  if (open.kind === 'fields' && isObject(extra)) {
    const all = new Map(open.fields);
    for (const [name, value] of Object.entries(extra)) {
      const before = all.get(name);
      const place = [...at, name];
      all.set(name, before === undefined ? written(value, place) : merge(before, value, place));
    }
    return { kind: 'fields', fields: all, at };
  }
  if (open.kind === 'items' && Array.isArray(extra)) {
    const added = extra.map((value: unknown, index) => written(value, [...at, String(index)]));
    return { kind: 'items', items: [...open.items, ...added], at };
  }
  return written(extra, at);
}

/** The value itself. */
export function valueOf(traced: Traced): unknown {
  if (traced.kind === 'fields') {
    return Object.fromEntries([...traced.fields].map(([name, child]) => [name, valueOf(child)]));
  }
  return traced.kind === 'items' ? traced.items.map(valueOf) : traced.value;
}

/** Where the part of a value was written, or would be where it is absent; undefined for what is ours. */
export function placeOf(traced: Traced, part: Segments): Segments | undefined {
  const [first, ...rest] = part;
  if (first === undefined || traced.kind === 'made') return traced.at;
  const child = traced.kind === 'written' ? undefined : childOf(traced, first);
  if (child !== undefined) return placeOf(child, rest);
  return traced.at === undefined ? undefined : [...traced.at, ...part];
}

function childOf(traced: Extract<Traced, { kind: 'fields' | 'items' }>, key: string): Traced | undefined {
  return traced.kind === 'fields' ? traced.fields.get(key) : traced.items[Number(key)];
}

/** The same with its outermost object or list as one whose parts have places of their own. */
function opened(traced: Traced): Traced {
  if (traced.kind !== 'written' && traced.kind !== 'made') return traced;
  const { value, at } = traced;
  const part = (child: unknown, key: string): Traced =>
    traced.kind === 'written' ? written(child, [...traced.at, key]) : made(child, at);
  if (Array.isArray(value)) {
    return items(
      value.map((child: unknown, index) => part(child, String(index))),
      at,
    );
  }
  if (!isObject(value)) return traced;
  const children = Object.entries(value).map(([name, child]) => [name, part(child, name)] as const);
  return { kind: 'fields', fields: new Map(children), at };
}
