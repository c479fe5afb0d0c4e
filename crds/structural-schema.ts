/**
 * The part of a CustomResourceDefinition's schema language that this project writes.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
export interface StructuralSchema {
  readonly description?: string;
  /** Absent only for a Quantity, which is text or a number, whole or not. */
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: 'int32' | 'int64';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

/** A rule in the Common Expression Language; it holds even while no webhook runs. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueRequired' | 'FieldValueForbidden';
  /** The child of the schema's place that the message is about: `.worker.template`. */
  readonly fieldPath?: string;
  /** Makes `oldSelf` an optional, absent when the object is created. */
  readonly optionalOldSelf?: true;
}

const KEEP_UNKNOWN = { 'x-kubernetes-preserve-unknown-fields': true } as const;

/** An object with known fields. Unknown ones are stored too: admission judges them, nothing loses them silently. */
export function object(
  properties: Readonly<Record<string, StructuralSchema>>,
  rest: Omit<StructuralSchema, 'type' | 'properties'> = {},
): StructuralSchema {
  return { type: 'object', ...rest, ...KEEP_UNKNOWN, properties };
}

/** An object that nobody but its reader knows. */
export const freeObject: StructuralSchema = { type: 'object', ...KEEP_UNKNOWN };

/** A Quantity, as the Pod API takes it: `cpu: 0.5` is legal there, and an int-or-string schema would refuse it. */
export const quantity: StructuralSchema = { ...KEEP_UNKNOWN };

/** A map with free keys. A null value means something else than an absent key: the empty text, or the zero quantity. */
export function mapOf(values: StructuralSchema): StructuralSchema {
  return { type: 'object', additionalProperties: { ...values, nullable: true } };
}

/** A list that is replaced as a whole. A null item is legal in a pod; it stands for the item type's zero value. */
export function listOf(items: StructuralSchema): StructuralSchema {
  return { type: 'array', items: { ...items, nullable: true }, 'x-kubernetes-list-type': 'atomic' };
}

/** A list whose items are told apart by a key, so that two appliers may own one item each. */
export function listByKey(key: string, items: StructuralSchema): StructuralSchema {
  return {
    type: 'array',
    items: { ...items, required: [...new Set([key, ...(items.required ?? [])])] },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [key],
  };
}

export function described(description: string, schema: StructuralSchema): StructuralSchema {
  return { description, ...schema };
}
