import { distance } from 'fastest-levenshtein';

/** Longer names are nobody's typing error, and the comparison is quadratic in the length. */
const LONGEST_NAME = 64;

/** The known name that was most probably meant, or undefined where none is near. Case does not count. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const written = name.toLowerCase();
  let nearest: string | undefined;
  // A third of the letters may be wrong: `sepc` is `spec`, but `arg` is not `env`.
  let least = Math.max(1, Math.ceil(written.length / 3)) + 1;
  for (const candidate of known) {
    const wrong = distance(written, candidate.toLowerCase());
    if (wrong < least) {
      nearest = candidate;
      least = wrong;
    }
  }
  return nearest;
}
