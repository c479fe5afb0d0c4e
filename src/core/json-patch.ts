/** One operation of an RFC 6902 patch; the only ones that daskwarden sends. */
export type JsonPatchOperation =
  | { readonly op: 'add'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** An RFC 6901 pointer; each segment is escaped. */
export function jsonPointer(...segments: readonly (string | number)[]): string {
  return segments
    .map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** Appends to a list, or makes it where it is absent: `/-` on an absent list is an error of the API server's. */
export function append(
  at: readonly (string | number)[],
  existing: readonly unknown[] | null | undefined,
  items: readonly unknown[],
): readonly JsonPatchOperation[] {
  if (items.length === 0) return [];
  if (existing === undefined || existing === null)
    return [{ op: 'add', path: jsonPointer(...at), value: items }];
  return items.map((value) => ({ op: 'add', path: jsonPointer(...at, '-'), value }));
}
