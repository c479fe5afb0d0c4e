export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** @throws RangeError where there is no value */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) throw new RangeError('a spread needs a value');
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? least;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? least) + upper) / 2;
  return { median, least, most };
}

/** `1234 (1200 to 1300)`. */
export function spreadText({ median, least, most }: Spread, digits = 0): string {
  return `${median.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`;
}
