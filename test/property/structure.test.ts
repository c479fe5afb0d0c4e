import fc, { type Arbitrary } from 'fast-check';
import { expect, it } from 'vitest';
import { judgeStructure } from '../../src/core/structure/judge-structure.ts';
import { nullRemovals } from '../../src/core/structure/null-removals.ts';
import { applyJsonPatch } from '../support/json-patch.ts';
import { MANIFESTS } from '../support/manifests.ts';

type Node = Record<string, unknown>;

/** Every place of a document: the keys that lead to it. */
function placesIn(value: unknown, way: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [way];
  return [way, ...Object.entries(value).flatMap(([key, child]) => placesIn(child, [...way, key]))];
}

function replaced(document: unknown, way: readonly string[], value: unknown): unknown {
  const last = way.at(-1);
  if (last === undefined) return value;
  const copy = structuredClone(document);
  let parent = copy;
  for (const key of way.slice(0, -1)) parent = (parent as Node | undefined)?.[key];
  if (typeof parent !== 'object' || parent === null) return copy;
  // A list has places, not names.
  if (Array.isArray(parent) && !/^\d+$/.test(last)) return copy;
  Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}

const value: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, '', 0, -1, 1.5, true, [], {}, [null], { a: null }, Infinity, '\ud800'),
  fc.jsonValue(),
);
const strangeKey = fc.constantFrom('__proto__', 'constructor', 'toString', 'limit', 'a/b~c', '', '0');

/** A manifest in which up to three places hold something else, or something that nobody expects. */
const mutated: Arbitrary<unknown> = fc
  .tuple(
    fc.constantFrom(...MANIFESTS),
    fc.array(fc.tuple(fc.nat(), fc.option(strangeKey, { freq: 3 }), value), { minLength: 1, maxLength: 3 }),
  )
  .map(([{ object }, mutations]) =>
    mutations.reduce<unknown>((document, [position, key, given]) => {
      const places = placesIn(document);
      const place = places[position % places.length] ?? [];
      return replaced(document, key === null ? place : [...place, key], given);
    }, object),
  );

const anything = fc.oneof({ weight: 5, arbitrary: mutated }, { weight: 1, arbitrary: value });
const runs = { numRuns: 2_000 };

it('whatever it is given, it answers, and changes nothing', () => {
  fc.assert(
    fc.property(anything, (object) => {
      const before = structuredClone(object);
      const { findings } = judgeStructure(object);
      expect(object).toEqual(before);
      for (const { message, path } of findings) expect((path.toString() + message).isWellFormed()).toBe(true);
    }),
    runs,
  );
});

it('the sound part is sound', () => {
  fc.assert(
    fc.property(anything, (object) => {
      const { sound } = judgeStructure(object);
      const again = judgeStructure(sound);
      expect(again.sound).toEqual(sound);
      const left = again.findings.filter(
        ({ rule, reason }) => rule === 'unknown-field' || reason === 'FieldValueTypeInvalid',
      );
      expect(left).toEqual([]);
    }),
    runs,
  );
});

it('without its nulls an object is judged the same, and has none left', () => {
  fc.assert(
    fc.property(mutated, (object) => {
      const patched = applyJsonPatch(object, nullRemovals(object));
      expect(nullRemovals(patched)).toEqual([]);
      const told = (document: unknown): string[] =>
        judgeStructure(document).findings.map(({ path, message }) => `${path.toString()}: ${message}`);
      expect(told(patched)).toEqual(told(object));
      expect(judgeStructure(patched).sound).toEqual(judgeStructure(object).sound);
    }),
    runs,
  );
});
