import fc, { type Arbitrary } from 'fast-check';
import { type OpenApi, POD_SPEC, type Schema, typeOf } from './open-api.ts';
import { consistent, type Json } from './random-pod-names.ts';
import { ALWAYS, EXACTLY_ONE, QUANTITY, VALUES, WORD } from './random-pod-values.ts';

/** A pod's `spec` and the part of its `metadata` that a template may have. */
export interface RandomPod {
  readonly metadata: Json;
  readonly spec: Json;
}

/**
 * Pods that reach every field that the API server's OpenAPI knows, mostly with values that it admits: nulls for what
 * may be left out, quantities as numbers and fractions, environment variables and ports that repeat.
 */
export function randomPod(openApi: OpenApi): Arbitrary<RandomPod> {
  const texts = fc.dictionary(WORD, sometimesNull(WORD), { maxKeys: 2 });
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a1', uid: '1', controller: null };
  const metadata = fc.record(
    {
      labels: texts,
      annotations: texts,
      creationTimestamp: fc.constant(null),
      ownerReferences: fc.constantFrom([owner], null),
    },
    { requiredKeys: [] },
  );
  const spec = new Generator(openApi).value(POD_SPEC, 'PodSpec') as Arbitrary<Json>;
  return fc.record({ metadata, spec: spec.map(consistent) });
}

/** Volumes are many and deep; workers may not restart for ever, which is what an absent policy says. */
const COMMON_FIELDS: Readonly<Record<string, number>> = { volumes: 2, restartPolicy: 1 };

/** One of how many pods has a field. */
function rarityOf(type: string, field: string): number {
  if (type === 'PodSpec') return COMMON_FIELDS[field] ?? 6;
  return /Volume|Projection|Claim/.test(type) ? 2 : 4;
}

const BY_NAME: ReadonlySet<string> = new Set([
  'PodSpec.containers',
  'PodSpec.initContainers',
  'PodSpec.volumes',
]);

class Generator {
  private readonly openApi: OpenApi;
  private readonly types = new Map<string, Arbitrary<unknown>>();

  constructor(openApi: OpenApi) {
    this.openApi = openApi;
  }

  /** @param field `Container.env`: the place that the value is for */
  value(schema: Schema, field: string): Arbitrary<unknown> {
    const type = typeOf(this.openApi, schema);
    const special = VALUES[field] ?? VALUES[type.name];
    if (special) return special;
    if (type.name === 'Quantity') return QUANTITY;
    if (type.name === 'IntOrString') return fc.constantFrom<unknown>(8080, 'http');
    if (type.name === '') return this.plain(type.schema, field);
    const known = this.types.get(type.name) ?? this.object(type.schema, type.name);
    this.types.set(type.name, known);
    return known;
  }

  private plain(schema: Schema, field: string): Arbitrary<unknown> {
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (schema.items) {
      const item = this.value(schema.items, `${field}[]`);
      // An item that is null has no name.
      if (BY_NAME.has(field)) return fc.array(item, { minLength: 1, maxLength: 3 });
      return fc.array(sometimesNull(item, 40), { maxLength: 3 });
    }
    if (schema.additionalProperties) {
      const entry = sometimesNull(this.value(schema.additionalProperties, `${field}{}`));
      return fc.dictionary(WORD, entry, { maxKeys: 2 });
    }
    if (schema.type === 'boolean') return fc.boolean();
    return schema.type === 'integer' ? fc.constantFrom(1, 2, 10) : WORD;
  }

  private object(schema: Schema, name: string): Arbitrary<unknown> {
    const fields = Object.entries(schema.properties ?? {}).map(([key, property]) => ({
      key,
      value: this.value(property, `${name}.${key}`),
      always: schema.required?.includes(key) === true || ALWAYS.has(`${name}.${key}`),
    }));
    const beside = EXACTLY_ONE[name];
    const isChoice = ({ key }: { key: string }): boolean => beside?.includes(key) === false;
    const parts = fields
      .filter((field) => !isChoice(field))
      .map(({ key, value, always }) =>
        always ? alone(key, value) : sometimes(key, value, rarityOf(name, key)),
      );
    const choices = fields.filter(isChoice).map(({ key, value }) => alone(key, value));
    const chosen = choices.length === 0 ? [] : [fc.oneof(...choices)];
    return fc.tuple(...parts, ...chosen).map((given) => Object.assign({}, ...given) as Json);
  }
}

function alone(key: string, value: Arbitrary<unknown>): Arbitrary<Json> {
  return value.map((given) => ({ [key]: given }));
}

/** The field in one of `rarity` cases, and now and then as null. */
function sometimes(key: string, value: Arbitrary<unknown>, rarity: number): Arbitrary<Json> {
  return fc.oneof(
    { weight: 15 * (rarity - 1), arbitrary: fc.constant({}) },
    { weight: 14, arbitrary: alone(key, value) },
    { weight: 1, arbitrary: fc.constant({ [key]: null }) },
  );
}

function sometimesNull(value: Arbitrary<unknown>, rarity = 10): Arbitrary<unknown> {
  return fc.option(value, { freq: rarity, nil: null });
}
