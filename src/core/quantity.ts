/** A Kubernetes quantity in billionths, the finest unit that Kubernetes keeps; finer ones are rounded up as it does. */
export type NanoQuantity = bigint & { readonly __brand: 'NanoQuantity' };

const NANO_DIGITS = 9;
const NANO = 10n ** BigInt(NANO_DIGITS);
/** What Kubernetes cuts a binary quantity to (`8Ei` and more); decimal ones it keeps as they are. */
const LARGEST_BINARY = (2n ** 63n - 1n) * NANO;
/** Nothing that computers have is beyond it, and the digits of a larger number would only cost memory. */
const LARGEST_EXPONENT = 1_000;

/** For the exponents of all suffixes: a power of such numbers takes longer than all the rest. */
const POWERS_OF_TEN = Array.from({ length: 28 }, (_, exponent) => 10n ** BigInt(exponent));

const DECIMAL_EXPONENT: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY_POWER: Readonly<Record<string, bigint>> = {
  Ki: 10n,
  Mi: 20n,
  Gi: 30n,
  Ti: 40n,
  Pi: 50n,
  Ei: 60n,
};

const QUANTITY =
  /^ *(?=[^ ])([+-]?)(\d{0,64})(?:\.(\d{0,64}))?(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,4}))? *$/;

/**
 * Reads a quantity (`500m`, `1.5Gi`, `1e3`, the number `0.5`), or gives undefined for what is none. What Kubernetes
 * takes is taken, oddities included: blanks around it, and no digit at all for 0.
 * Source of the grammar: k8s.io/apimachinery/pkg/api/resource.
 */
export function parseQuantity(value: unknown): NanoQuantity | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const parts = QUANTITY.exec(String(value));
  if (parts === null) return undefined;
  const [, sign, whole = '', fraction = '', suffix = '', exponentText = '0'] = parts;
  const power = BINARY_POWER[suffix];
  const digits = BigInt(`${whole}${fraction}`) << (power ?? 0n);
  const exponent = (DECIMAL_EXPONENT[suffix] ?? 0) + Number(exponentText) - fraction.length;
  const exact = scale(digits, clampExponent(NANO_DIGITS + exponent));
  const kept = power !== undefined && exact > LARGEST_BINARY ? LARGEST_BINARY : exact;
  return (sign === '-' ? -kept : kept) as NanoQuantity;
}

/** The quantity as a whole number of units (bytes, cores), rounded up. */
export function toUnits(quantity: NanoQuantity): bigint {
  return quantity <= 0n ? quantity / NANO : (quantity + NANO - 1n) / NANO;
}

function clampExponent(exponent: number): number {
  return Math.max(-LARGEST_EXPONENT, Math.min(LARGEST_EXPONENT, exponent));
}

function scale(digits: bigint, exponent: number): bigint {
  if (exponent >= 0) return digits * powerOfTen(exponent);
  const divisor = powerOfTen(-exponent);
  return (digits + divisor - 1n) / divisor;
}

function powerOfTen(exponent: number): bigint {
  return POWERS_OF_TEN[exponent] ?? 10n ** BigInt(exponent);
}
