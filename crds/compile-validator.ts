import { _, Ajv, stringify, type CodeKeywordDefinition, type KeywordCxt } from 'ajv';
import standaloneModule from 'ajv/dist/standalone/index.js';
import type { ValidatorSchema } from './validator-schema.ts';

// The module is CommonJS; what Node gives as its default export is the whole of it.
const standaloneCode = standaloneModule.default;

const KEYWORDS: readonly CodeKeywordDefinition[] = [
  {
    keyword: 'closed',
    type: 'object',
    schemaType: 'boolean',
    code(context: KeywordCxt) {
      const { gen, data } = context;
      const names = Object.keys((context.parentSchema as ValidatorSchema).properties ?? {});
      const known = gen.scopeValue('obj', {
        key: names.join(','),
        ref: new Set(names),
        code: _`new Set(${stringify(names)})`,
      });
      gen.forIn('field', data, (field) => {
        gen.if(_`!${known}.has(${field})`, () => {
          context.setParams({ field, known });
          context.error(true);
        });
      });
    },
    error: {
      message: 'unknown field',
      params: ({ params }) => _`{field: ${params['field']}, known: ${params['known']}}`,
    },
  },
  {
    keyword: 'textOr',
    schemaType: 'string',
    code(context: KeywordCxt) {
      const { data } = context;
      const { textOr, ...others } = context.parentSchema as ValidatorSchema;
      const isNumber = textOr === 'integer' ? _`Number.isInteger(${data})` : _`Number.isFinite(${data})`;
      const isNull = 'nullMeans' in others ? _` && ${data} !== null` : _``;
      context.fail(_`typeof ${data} !== "string" && !${isNumber}${isNull}`);
    },
    error: { message: 'type', params: ({ schemaValue }) => _`{type: ${schemaValue}}` },
  },
  {
    keyword: 'nullMeans',
    code(context: KeywordCxt) {
      context.fail(_`${context.data} === null`);
    },
    error: { message: 'null', params: ({ schema }) => _`{zero: ${stringify(schema)}}` },
  },
];

export class UnexpectedCode extends Error {
  override readonly name = 'UnexpectedCode';
}

/**
 * Compiles a schema into the text of a module that exports `validate` and needs nothing else.
 * @throws {UnexpectedCode} where ajv writes other code than this function knows how to make linear
 */
export function compileValidator(schema: ValidatorSchema): string {
  const ajv = new Ajv({
    allErrors: true,
    inlineRefs: false,
    messages: false,
    strict: true,
    allowUnionTypes: false,
    code: { source: true, esm: true, lines: true },
    schemas: { daskCluster: schema },
    keywords: [...KEYWORDS],
  });
  return withoutUnusedSchemas(linear(standaloneCode(ajv, { validate: 'daskCluster' })));
}

/**
 * ajv joins the errors of nested functions by copying all that came before, which is quadratic in the number of
 * errors; and it writes the same six lines, with a path into the schema that nobody reads, for some thousand errors.
 */
function linear(code: string): string {
  const shorter = code
    .replaceAll(
      /const (err\d+) = (\{instancePath.*?),schemaPath:".*?"(,.*);\nif\(vErrors === null\)\{\nvErrors = \[\1\];\n\}\nelse \{\nvErrors\.push\(\1\);\n\}\nerrors\+\+;/g,
      'vErrors = report(vErrors, $2$3);errors++;',
    )
    .replaceAll(
      /vErrors = vErrors === null \? (validate\d+)\.errors : vErrors\.concat\(\1\.errors\);/g,
      'vErrors = append(vErrors, $1.errors);',
    );
  if (/vErrors\.(push|concat)/.test(shorter) || /\brequire\b/.test(shorter)) {
    throw new UnexpectedCode('ajv writes its code in another way than crds/compile-validator.ts expects');
  }
  return `${shorter}\n${HELPERS}`;
}

const HELPERS = `function report(errors, error) {
  if (errors === null) return [error];
  errors.push(error);
  return errors;
}
function append(errors, more) {
  if (errors === null) return more;
  for (const error of more) errors.push(error);
  return errors;
}
`;

function withoutUnusedSchemas(code: string): string {
  let shorter = code;
  for (const [line, name] of code.matchAll(/^const (schema\d+) = .*;\n/gm)) {
    if (!new RegExp(`\\b${String(name)}\\b`).test(code.replace(line, '')))
      shorter = shorter.replace(line, '');
  }
  return shorter;
}
