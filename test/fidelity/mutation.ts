import fc, { type Arbitrary } from 'fast-check';

/** One change of a tree of JSON. */
export interface Mutation {
  /** Of all places of the tree, from 0 to 1. */
  readonly place: number;
  readonly how: keyof typeof WAYS;
  /** Which of the values that a way can choose from, from 0 to 1. */
  readonly choice: number;
}

type Holder = Record<string | number, unknown>;

interface Place {
  readonly holder: Holder;
  readonly key: string;
  readonly value: unknown;
}

const of =
  (...values: readonly unknown[]) =>
  (choice: number): unknown =>
    values[Math.floor(choice * values.length)];

const OTHER_TEXT = of(
  '',
  'UPPER_case',
  'x'.repeat(64),
  'x'.repeat(300),
  'a b',
  '../x',
  '0',
  '/',
  'ä',
  'a.b',
  '-1',
  '1Ki',
);
const OTHER_NUMBER = of(-1, 0, 1, 2 ** 31, 2 ** 53, 70_000, 1.5, 511, 512);
const OTHER_TYPE = of('text', 7, 1.5, true, {}, [], [{}], { a: 'b' });

/** Ways to change what stands at a place. Those that keep the type are the likely mistakes of people. */
const WAYS = {
  remove: ({ holder, key }: Place): void => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else Reflect.deleteProperty(holder, key);
  },
  null: ({ holder, key }: Place): void => {
    holder[key] = null;
  },
  otherValue: alike,
  repeat: ({ holder, key, value }: Place): void => {
    if (Array.isArray(holder)) holder.push(structuredClone(value));
    else
      holder[key] = Array.isArray(value)
        ? [...(value as unknown[]), ...(structuredClone(value) as unknown[])]
        : value;
  },
  empty: ({ holder, key, value }: Place): void => {
    if (typeof value === 'object') holder[key] = Array.isArray(value) ? [] : {};
  },
  misspell: ({ holder, key, value }: Place): void => {
    if (Array.isArray(holder)) return;
    Reflect.deleteProperty(holder, key);
    holder[key.endsWith('s') ? key.slice(0, -1) : `${key}s`] = value;
  },
  otherType: ({ holder, key }: Place, choice: number): void => {
    holder[key] = structuredClone(OTHER_TYPE(choice));
  },
} as const satisfies Record<string, (place: Place, choice: number) => void>;

function alike({ holder, key, value }: Place, choice: number): void {
  if (typeof value === 'string') holder[key] = OTHER_TEXT(choice);
  else if (typeof value === 'number') holder[key] = OTHER_NUMBER(choice);
  else if (typeof value === 'boolean') holder[key] = !value;
}

/** What people get wrong most. */
const OFTEN = ['otherValue', 'otherValue', 'otherValue', 'otherValue', 'repeat', 'remove'] as const;
/** Without fast-check's liking for small numbers, which are the first places. */
const unit = fc.noBias(fc.nat(999_999)).map((number) => number / 1e6);
const randomMutation: Arbitrary<Mutation> = fc.record({
  place: unit,
  how: fc.constantFrom(...OFTEN, ...(Object.keys(WAYS) as (keyof typeof WAYS)[])),
  choice: unit,
});

/** None in one of four cases, else one to three. */
export const randomMutations: Arbitrary<readonly Mutation[]> = fc.oneof(
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 3, arbitrary: fc.array(randomMutation, { minLength: 1, maxLength: 3 }) },
);

/** Changes one of some trees in place. */
export function mutate(trees: readonly unknown[], { place, how, choice }: Mutation): void {
  const places = trees.flatMap((tree) => placesIn(tree));
  const found = places[Math.floor(place * places.length)];
  if (found !== undefined) WAYS[how](found, choice);
}

function placesIn(node: unknown): readonly Place[] {
  if (typeof node !== 'object' || node === null) return [];
  const holder = node as Holder;
  return Object.entries(node).flatMap(([key, value]) => [
    { holder, key, value: value as unknown },
    ...placesIn(value),
  ]);
}
