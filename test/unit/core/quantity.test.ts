import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuantity, toUnits } from '../../../src/core/quantity.ts';

/** Nanos of a quantity, for quantities that must be readable. */
function nanos(value: string | number): bigint {
  const quantity = parseQuantity(value);
  if (quantity === undefined) throw new Error(`${JSON.stringify(value)} is no quantity`);
  return quantity;
}

const NANO = 10n ** 9n;
const LARGEST = 2n ** 63n - 1n;

/** What k8s.io/apimachinery 0.36.3 makes of each text: its value in billionths. */
describe('parseQuantity', () => {
  it.each<[string, bigint]>([
    ['0', 0n],
    ['1', NANO],
    ['+1', NANO],
    ['-1', -NANO],
    ['00012', 12n * NANO],
    ['.5', NANO / 2n],
    ['5.', 5n * NANO],
    ['1.5', (3n * NANO) / 2n],
    ['1n', 1n],
    ['1u', 1_000n],
    ['1m', 1_000_000n],
    ['2500m', (5n * NANO) / 2n],
    ['1k', 10n ** 12n],
    ['1M', 10n ** 15n],
    ['1G', 10n ** 18n],
    ['1T', 10n ** 21n],
    ['1P', 10n ** 24n],
    ['1E', 10n ** 27n],
    ['100E', 10n ** 29n],
    ['1Ki', 1024n * NANO],
    ['1Mi', 2n ** 20n * NANO],
    ['1Gi', 2n ** 30n * NANO],
    ['1Ti', 2n ** 40n * NANO],
    ['1Pi', 2n ** 50n * NANO],
    ['1Ei', 2n ** 60n * NANO],
    ['4Gi', 2n ** 32n * NANO],
    ['1.5Gi', 3n * 2n ** 29n * NANO],
    ['.5Gi', 2n ** 29n * NANO],
    ['+1Gi', 2n ** 30n * NANO],
    ['0.0001Ki', 102_400_000n],
    ['500M', 5n * 10n ** 17n],
    ['128974848k', 128_974_848n * 10n ** 12n],
    ['1e3', 10n ** 12n],
    ['1E3', 10n ** 12n],
    ['1e+3', 10n ** 12n],
    ['1e-3', 1_000_000n],
    ['1e9', 10n ** 18n],
    ['1E9', 10n ** 18n],
    ['12e6', 12n * 10n ** 15n],
    ['1e30', 10n ** 39n],
    ['1e31', 10n ** 40n],
    ['1000n', 1_000n],
    ['1000u', 1_000_000n],
    // Finer than a billionth: rounded away from 0.
    ['0.1n', 1n],
    ['-0.1n', -1n],
    ['1e-10', 1n],
    ['1e-900', 1n],
    ['0e-900', 0n],
    // Binary ones are cut to an int64, decimal ones are not.
    ['7Ei', 7n * 2n ** 60n * NANO],
    ['8Ei', LARGEST * NANO],
    ['100Ei', LARGEST * NANO],
    ['-100Ei', -LARGEST * NANO],
    // Blanks around it are taken off when it is decoded from JSON.
    ['1 ', NANO],
    [' 1', NANO],
    // No digits are none: Kubernetes takes these for 0.
    ['.', 0n],
    ['+', 0n],
    ['-', 0n],
    ['m', 0n],
    ['Ki', 0n],
    ['e5', 0n],
  ])('reads %j', (text, expected) => {
    expect(parseQuantity(text)).toBe(expected);
  });

  it.each<[number, bigint]>([
    [0.5, NANO / 2n],
    [1, NANO],
    [-1, -NANO],
    [1e21, 10n ** 30n],
    [1e-7, 100n],
  ])('reads the number %d', (number, expected) => {
    expect(parseQuantity(number)).toBe(expected);
  });

  it.each(
    [
      '',
      ' ',
      '1e',
      '1.5.2',
      '0x10',
      '1K',
      '1ki',
      '1KI',
      '1U',
      '1g',
      '1e1.5',
      '1ee3',
      '1e3m',
      '1m5',
      '1_000',
    ].concat([
      '1,000',
      '1 000',
      '1 Gi',
      '٣',
      '1\n',
      '\t1',
      'null',
      'Infinity',
      'NaN',
      '--1',
      '1-',
      'e',
      '1Gib',
      'constructor',
    ]),
  )('does not read %j', (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  it.each([undefined, null, true, {}, ['1'], Number.NaN, Number.POSITIVE_INFINITY])(
    'does not read %s',
    (value) => {
      expect(parseQuantity(value)).toBeUndefined();
    },
  );

  it('takes no time for what is absurdly long or large', () => {
    const started = performance.now();
    expect(parseQuantity('9'.repeat(1_000_000))).toBeUndefined();
    expect(parseQuantity(`${' '.repeat(1_000_000)}x`)).toBeUndefined();
    expect(parseQuantity(`1${' '.repeat(1_000_000)}x`)).toBeUndefined();
    expect(parseQuantity('9'.repeat(65))).toBeUndefined();
    expect(parseQuantity('9'.repeat(64))).toBe(BigInt('9'.repeat(64)) * NANO);
    expect(parseQuantity(`.${'0'.repeat(63)}1`)).toBe(1n);
    expect(parseQuantity(`.${'0'.repeat(64)}1`)).toBeUndefined();
    expect(parseQuantity('1e99999')).toBeUndefined();
    expect(parseQuantity('1e9999')).toBe(10n ** 1_000n);
    expect(parseQuantity('1e-9999')).toBe(1n);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('compares as exact numbers do', () => {
    fc.assert(
      fc.property(spelling, spelling, (one, other) => {
        const [a, b] = [one.exact, other.exact];
        const exact = a.numerator * b.denominator - b.numerator * a.denominator;
        const read = nanos(one.text) - nanos(other.text);
        expect(Math.sign(Number(read)), `${one.text} and ${other.text}`).toBe(Math.sign(Number(exact)));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('toUnits', () => {
  it.each<[string, bigint]>([
    ['0', 0n],
    ['1n', 1n],
    ['0.5', 1n],
    ['1', 1n],
    ['2500m', 3n],
    ['1000u', 1n],
    ['1.000000001', 2n],
    ['-1', -1n],
    ['-1500m', -1n],
    ['1Ei', 2n ** 60n],
  ])('rounds %s up', (text, units) => {
    const quantity = parseQuantity(text);
    expect(quantity === undefined ? undefined : toUnits(quantity)).toBe(units);
  });
});

interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const POWERS: Readonly<Record<string, Fraction>> = {
  '': { numerator: 1n, denominator: 1n },
  u: { numerator: 1n, denominator: 10n ** 6n },
  m: { numerator: 1n, denominator: 1_000n },
  k: { numerator: 1_000n, denominator: 1n },
  M: { numerator: 10n ** 6n, denominator: 1n },
  G: { numerator: 10n ** 9n, denominator: 1n },
  E: { numerator: 10n ** 18n, denominator: 1n },
  e3: { numerator: 1_000n, denominator: 1n },
  'E-2': { numerator: 1n, denominator: 100n },
  e40: { numerator: 10n ** 40n, denominator: 1n },
  Ki: { numerator: 2n ** 10n, denominator: 1n },
  Mi: { numerator: 2n ** 20n, denominator: 1n },
  Gi: { numerator: 2n ** 30n, denominator: 1n },
  Pi: { numerator: 2n ** 50n, denominator: 1n },
};

/** A quantity with no more than nine places after the point, which Kubernetes keeps exactly, and its exact value. */
const spelling = fc
  .record({
    sign: fc.constantFrom('', '+', '-'),
    // Few digits: equal values in different spellings must be met often.
    whole: fc.oneof(fc.constantFrom('', '0', '1', '01', '1000', '1024'), fc.nat({ max: 5_000 }).map(String)),
    fraction: fc.constantFrom(undefined, '', '0', '5', '50', '024'),
    suffix: fc.constantFrom(...Object.keys(POWERS)),
  })
  .map(({ sign, whole, fraction, suffix }) => {
    const digits = BigInt(`${whole}${fraction ?? ''}`) * (sign === '-' ? -1n : 1n);
    const { numerator, denominator } = POWERS[suffix] ?? { numerator: 0n, denominator: 1n };
    return {
      text: `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${suffix}`,
      exact: {
        numerator: digits * numerator,
        denominator: denominator * 10n ** BigInt(fraction?.length ?? 0),
      },
    };
  })
  // Nothing at all is the only spelling without digits that is refused.
  .filter(({ text }) => text !== '');
