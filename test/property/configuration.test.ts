import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../src/core/policy/parse.ts';
import { mapValues, POLICY_SCHEMA, resolved, type PolicySchema } from '../../src/core/policy/schema.ts';
import { ConfigurationError } from '../../src/platform/configuration-error.ts';
import { parseConfigurationText } from '../../src/platform/read-configuration.ts';

const ANYTHING = fc.jsonValue({ maxDepth: 2 });
const NAME = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'images', 'reach'));

/** Values of a schema's shape, with something else in a place now and then. */
function like(part: PolicySchema): fc.Arbitrary<unknown> {
  const schema = resolved(part);
  return fc.oneof({ weight: 12, arbitrary: ofSchema(schema) }, { weight: 1, arbitrary: ANYTHING });
}

function ofSchema(schema: PolicySchema): fc.Arbitrary<unknown> {
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

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems;
  }
}

describe('a configuration', () => {
  it('of any shape is read, or refused with a line for each problem', () => {
    fc.assert(
      fc.property(like(POLICY_SCHEMA), (document) => {
        const parsed = parsePolicy(document);
        const read = (): unknown => parseConfigurationText('FILE', JSON.stringify(document), parsePolicy);
        if ('policy' in parsed) {
          expect(read()).toEqual(parsed);
          return;
        }
        const problems = problemsOf(read);
        expect(problems).toHaveLength(parsed.problems.length);
        expect(problems.filter((line) => !/^FILE(:1:\d+)?: ./.test(line) || line.includes('\n'))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('of any text is read, or refused as a configuration', () => {
    const words = fc.constantFrom(
      'limits',
      ': ',
      '\n',
      '  ',
      '- ',
      '&a ',
      '*a',
      '{',
      '}',
      '[',
      ']',
      '? ',
      '!!x ',
      '"',
      '<<',
      '|',
      '#',
      '\t',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string({ maxLength: 3 })), { maxLength: 40 }), (parts) => {
        problemsOf(() => parseConfigurationText('FILE', parts.join(''), parsePolicy));
      }),
      { numRuns: 300 },
    );
  });
});
