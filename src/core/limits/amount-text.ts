import { toUnits, type NanoQuantity } from '../quantity.ts';
import { ONE, type Measure } from './demand.ts';

const UNITS: readonly (readonly [suffix: string, bytes: bigint])[] = [
  ['Ei', 1n << 60n],
  ['Pi', 1n << 50n],
  ['Ti', 1n << 40n],
  ['Gi', 1n << 30n],
  ['Mi', 1n << 20n],
  ['G', 10n ** 9n],
  ['M', 10n ** 6n],
  ['Ki', 1n << 10n],
];

/** An amount as it stands in a message: `1 worker`, `2.5 cores`, `16Gi of memory`. Exact. */
export function amountText(measure: Measure, amount: NanoQuantity): string {
  if (measure === 'memoryBytes') return `${memoryText(amount)} of memory`;
  const noun = measure.slice(0, -1);
  return `${decimalText(amount)} ${amount === ONE ? noun : measure}`;
}

function memoryText(amount: NanoQuantity): string {
  const bytes = toUnits(amount);
  const unit = UNITS.find(([, size]) => bytes !== 0n && bytes % size === 0n);
  return unit === undefined ? `${String(bytes)} bytes` : `${String(bytes / unit[1])}${unit[0]}`;
}

function decimalText(amount: NanoQuantity): string {
  const fraction = String(amount % ONE)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(amount / ONE) : `${String(amount / ONE)}.${fraction}`;
}
