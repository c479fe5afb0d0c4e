/** A Kubernetes quantity in billionths, the finest unit that Kubernetes keeps; finer ones are rounded up as it does. */
export type NanoQuantity = bigint & { readonly __brand: 'NanoQuantity' };

const NANO_DIGITS = 9;
const NANO = 10n ** BigInt(NANO_DIGITS);
/** Kubernetes caps at 2^63-1; an exponent beyond it changes no comparison and would only cost memory. */
const LARGEST_EXPONENT = 40;

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

const QUANTITY = /^([+-]?)(\d{1,64})?(?:\.(\d{0,64}))?(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,4}))?$/;

/**
 * Reads a quantity (`500m`, `1.5Gi`, `1e3`, the number `0.5`), or gives undefined for what is none.
 * Source of the grammar: k8s.io/apimachinery/pkg/api/resource.
 */
export function parseQuantity(value: unknown): NanoQuantity | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const parts = QUANTITY.exec(String(value));
  if (parts === null || (parts[2] ?? '') + (parts[3] ?? '') === '') return undefined;
  const [, sign, whole = '', fraction = '', suffix = '', exponentText = '0'] = parts;
  const digits = BigInt(`${whole}${fraction}`) << (BINARY_POWER[suffix] ?? 0n);
  const exponent = (DECIMAL_EXPONENT[suffix] ?? 0) + Number(exponentText);
  const scaled = scale(digits, clampExponent(NANO_DIGITS + exponent - fraction.length));
  return (sign === '-' ? -scaled : scaled) as NanoQuantity;
}

/** The quantity as a whole number of units (bytes, cores), rounded up. */
export function toUnits(quantity: NanoQuantity): bigint {
  return quantity <= 0n ? quantity / NANO : (quantity + NANO - 1n) / NANO;
}

function clampExponent(exponent: number): number {
  return Math.max(-LARGEST_EXPONENT * 4, Math.min(LARGEST_EXPONENT, exponent));
}

function scale(digits: bigint, exponent: number): bigint {
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return (digits + divisor - 1n) / divisor;
}
