import type { StructuralSchema } from './structural-schema.ts';

/** The JSON Schema that the structural judgement is compiled from; see `crds/generate-validator.ts`. */
export interface ValidatorSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, ValidatorSchema>>;
  readonly type?: string;
  /** Text or a number, as the Pod API takes a Quantity (`number`) and an IntOrString (`integer`). */
  readonly textOr?: 'number' | 'integer';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly nullable?: true;
  readonly properties?: Readonly<Record<string, ValidatorSchema>>;
  readonly required?: readonly string[];
  /** Other fields than `properties` are errors. */
  readonly closed?: true;
  readonly additionalProperties?: ValidatorSchema;
  readonly items?: ValidatorSchema;
  /** A null is admitted and stands for this value; the validator reports it, so that a reader may put it there. */
  readonly nullMeans?: unknown;
}

const INT32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/**
 * The schema of a DaskCluster as a JSON Schema.
 * - Unknown fields are errors wherever the known ones are listed; maps with free keys and free objects stay free.
 * - A null is reported wherever the API server drops it from a POST, and with `nullMeans` where it is kept.
 * - A Quantity is text or a number; the Pod API refuses everything else.
 * - Schemas that occur more than once stand once, under `$defs`.
 */
export function validatorSchema(crd: StructuralSchema): ValidatorSchema {
  const root = convert(crd);
  const metadata =
    root.properties?.['spec']?.properties?.['scheduler']?.properties?.['template']?.properties?.['metadata'];
  if (metadata === undefined) throw new TypeError('the schema has no spec.scheduler.template.metadata');
  return shareRepeated({ ...root, properties: { ...root.properties, metadata } });
}

function convert(schema: StructuralSchema): ValidatorSchema {
  const nullable = schema.nullable ? ({ nullable: true } as const) : {};
  if (schema['x-kubernetes-int-or-string']) return { textOr: 'integer' };
  switch (schema.type) {
    case undefined:
      return { textOr: 'number' };
    case 'object':
      return { ...convertObject(schema), ...nullable };
    case 'array':
      return { type: 'array', items: convertEntry(schema.items ?? {}), ...nullable };
    default:
      return {
        type: schema.type,
        ...(schema.format === 'int32' && INT32),
        ...(schema.minimum !== undefined && { minimum: schema.minimum }),
        ...(schema.enum && { enum: schema.enum }),
        ...nullable,
      };
  }
}

function convertObject(schema: StructuralSchema): ValidatorSchema {
  if (schema.additionalProperties) {
    return { type: 'object', additionalProperties: convertEntry(schema.additionalProperties) };
  }
  if (!schema.properties) return { type: 'object' };
  return {
    type: 'object',
    ...(schema.required && { required: schema.required }),
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, convert(property)]),
    ),
    closed: true,
  };
}

/** The value of a map or the item of a list: a null there is the zero value of its type, as the Pod API reads it. */
function convertEntry(schema: StructuralSchema): ValidatorSchema {
  const entry = convert(schema);
  return schema.nullable ? { ...entry, nullMeans: zeroOf(schema) } : entry;
}

const ZERO = { object: {}, array: [], integer: 0, number: 0, boolean: false, string: '' } as const;

function zeroOf(schema: StructuralSchema): unknown {
  if (schema.type !== undefined) return ZERO[schema.type];
  return schema['x-kubernetes-int-or-string'] ? 0 : '0';
}

/** Gives each object schema that occurs more than once one place, so that the compiled code has it once. */
function shareRepeated(root: ValidatorSchema): ValidatorSchema {
  const seen = new Map<string, number>();
  const count = (schema: ValidatorSchema): void => {
    const text = JSON.stringify(schema);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times === 1) children(schema).forEach(count);
  };
  count(root);

  const names = new Map<string, string>();
  const $defs: Record<string, ValidatorSchema> = {};
  const share = (schema: ValidatorSchema): ValidatorSchema => {
    const text = JSON.stringify(schema);
    if (!isShared(schema, seen.get(text))) return withChildren(schema, share);
    let name = names.get(text);
    if (name === undefined) {
      name = `s${names.size}`;
      names.set(text, name);
      $defs[name] = withChildren(schema, share);
    }
    return { $ref: `#/$defs/${name}` };
  };
  return { ...withChildren(root, share), $defs };
}

/** The compiled code refers to the whole schema around an enumeration, so that one always gets a place of its own. */
function isShared(schema: ValidatorSchema, times: number | undefined): boolean {
  return schema.enum !== undefined || (children(schema).length > 0 && times !== 1);
}

function children({ properties, additionalProperties, items }: ValidatorSchema): readonly ValidatorSchema[] {
  return [...Object.values(properties ?? {}), additionalProperties, items].filter(
    (child) => child !== undefined,
  );
}

function withChildren(
  schema: ValidatorSchema,
  map: (child: ValidatorSchema) => ValidatorSchema,
): ValidatorSchema {
  return {
    ...schema,
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([name, child]) => [name, map(child)]),
      ),
    }),
    ...(schema.additionalProperties && { additionalProperties: map(schema.additionalProperties) }),
    ...(schema.items && { items: map(schema.items) }),
  };
}
