import type { Json } from '../support/random-pod-names.ts';

/** Beyond this a counterexample is small enough, or will not get smaller. */
const MOST_ROUNDS = 200;

/**
 * A small version of a manifest that keeps a property: as long as there is a part without which the property holds, it
 * is left out, large ones first.
 * @param depth of the parts that may be left out; what lies above is what makes it a manifest
 * @param holding of some candidates, the ones that have the property
 */
export async function minimal<T extends object>(
  manifest: T,
  depth: number,
  holding: (candidates: readonly T[]) => Promise<readonly boolean[]>,
): Promise<T> {
  let current = manifest;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const candidates = smaller(current, depth);
    const kept = await holding(candidates);
    const next = candidates[kept.indexOf(true)];
    if (next === undefined) break;
    current = next;
  }
  return current;
}

/** Every version with one part left out, the smallest first. */
function smaller<T extends object>(manifest: T, depth: number): readonly T[] {
  const versions: T[] = [];
  const visit = (path: readonly string[], node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (path.length >= depth) versions.push(without(manifest, [...path, key]));
      visit([...path, key], value);
    }
  };
  visit([], manifest);
  return versions.sort((a, b) => JSON.stringify(a).length - JSON.stringify(b).length);
}

function without<T extends object>(manifest: T, path: readonly string[]): T {
  const copy = structuredClone(manifest);
  let holder = copy as unknown as Json;
  for (const key of path.slice(0, -1)) holder = holder[key] as Json;
  const last = path.at(-1) ?? '';
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else Reflect.deleteProperty(holder, last);
  return copy;
}
