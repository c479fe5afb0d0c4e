import fc, { type Arbitrary } from 'fast-check';
import { mapValues, POLICY_SCHEMA, resolved, type PolicySchema } from '../../src/core/policy/schema.ts';

const ANYTHING = fc.jsonValue({ maxDepth: 2 });
const NAME = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'images', 'reach'));

/** Configurations of the schema's shape, with something else in a place now and then. */
export const randomPolicyDocument: Arbitrary<unknown> = like(POLICY_SCHEMA);

function like(part: PolicySchema): Arbitrary<unknown> {
  const schema = resolved(part);
  return fc.oneof({ weight: 12, arbitrary: ofSchema(schema) }, { weight: 1, arbitrary: ANYTHING });
}

function ofSchema(schema: PolicySchema): Arbitrary<unknown> {
  const values = mapValues(schema);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (values !== undefined) return fc.dictionary(NAME, like(values), { maxKeys: 3 });
  if (schema.items !== undefined) return fc.array(like(schema.items), { maxLength: 3 });
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties).map(([name, child]) => [name, like(child)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  }
  switch (schema.type) {
    case 'integer':
      return fc.integer({ min: -5, max: 5_000 });
    case 'boolean':
      return fc.boolean();
    case 'string':
      return fc.string();
    default:
      return fc.constantFrom(1, 0.5, '500m', '1.5Gi', '1e3', '-1', 'x', '');
  }
}
