import { segmentsOf, valueAt } from '../structure/place.ts';
import { typeMessage, unknownFieldMessage } from '../structure/messages.ts';
import { cut } from '../findings.ts';
import { validate } from './policy-validator.generated.ts';
import type { PolicyProblem } from './policy-problem.ts';
import { placeAt, type Place } from './schema.ts';

/** As ajv reports it. Which parameter it carries says the keyword. */
interface SchemaError {
  /** JSON pointer. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: {
    readonly type?: string | readonly string[];
    readonly allowedValues?: readonly string[];
    readonly additionalProperty?: string;
    readonly missingProperty?: string;
    readonly limit?: number;
  };
}

interface Validate {
  (document: unknown): boolean;
  errors: readonly SchemaError[] | null;
}

/** Everything in a document that is not as the schema has it, in the order of the schema. */
export function schemaProblems(document: unknown): readonly PolicyProblem[] {
  const run = validate as unknown as Validate;
  run(document);
  const errors = run.errors ?? [];
  run.errors = null;
  const mistyped = new Set(
    errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath),
  );
  return errors
    .filter(({ keyword, instancePath }) => keyword === 'type' || !mistyped.has(instancePath))
    .map((error) => problemOf(document, error));
}

function problemOf(document: unknown, error: SchemaError): PolicyProblem {
  const { instancePath, params } = error;
  const segments = [
    ...segmentsOf(instancePath),
    ...[params.additionalProperty, params.missingProperty].filter((name) => name !== undefined),
  ];
  return {
    path: placeAt(segments).path,
    message: messageOf(error, valueAt(document, segments), placeAt(segmentsOf(instancePath))),
  };
}

function messageOf({ instancePath, keyword, params }: SchemaError, value: unknown, place: Place): string {
  switch (keyword) {
    case 'type':
      return wrongType(params.type, value, segmentsOf(instancePath).at(-1) ?? '');
    case 'additionalProperties':
      return unknownKey(params.additionalProperty ?? '', place);
    case 'required':
      return 'Required value: must be given';
    case 'enum':
      return `Unsupported value: ${shown(value)}: supported values: ${params.allowedValues?.map(shown).join(', ') ?? ''}`;
    default:
      return `Invalid value: ${shown(value)}: ${faultOf(keyword, params.limit)}`;
  }
}

function faultOf(keyword: string, limit = 0): string {
  switch (keyword) {
    case 'minimum':
      return `must be greater than or equal to ${limit}`;
    case 'maximum':
      return `must be less than or equal to ${limit}`;
    case 'minItems':
      return 'an empty list matches nothing: give it an entry, or leave it out to match everything';
    case 'pattern':
      return 'must not be blank';
    default:
      return `must be as '${keyword}' of the schema has it`;
  }
}

function unknownKey(field: string, { schema }: Place): string {
  const known = new Set(Object.keys(schema?.properties ?? {}));
  return unknownFieldMessage({ instancePath: '', keyword: 'closed', params: { field, known } });
}

function wrongType(type: string | readonly string[] | undefined, value: unknown, field: string): string {
  if (value === null) return 'Required value: nothing stands after it: give it a value, or leave it out';
  if (typeof type !== 'string') {
    return typeMessage({ instancePath: '', keyword: 'textOr', params: { type: 'number' } }, value, field);
  }
  return typeMessage({ instancePath: '', keyword: 'type', params: { type } }, value, field);
}

/** A value of the configuration as it stands in a message: no secrets are in there. */
function shown(value: unknown): string {
  return cut(JSON.stringify(value));
}
