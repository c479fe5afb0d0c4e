/**
 * Whether a text is as a pattern says, in which `*` stands for any characters, also none, and everything else for
 * itself. Looks for the parts between the stars one after the other and never goes back: no pattern makes it slow.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (text.length < first.length + last.length) return false;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}

/** Whether a list of patterns allows one of the texts; a list that is not given allows all. */
export function matchesSome(patterns: readonly string[] | undefined, texts: readonly string[]): boolean {
  if (patterns === undefined) return true;
  return patterns.some((pattern) => texts.some((text) => matchesGlob(pattern, text)));
}
