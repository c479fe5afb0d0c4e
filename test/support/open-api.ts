/** What the tests read of `/openapi/v3/api/v1`. */
export interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
}

export interface Type {
  /** `Container`; empty for a schema that has no name of its own. */
  readonly name: string;
  readonly schema: Schema;
}

export const POD_SPEC: Schema = { $ref: '#/components/schemas/io.k8s.api.core.v1.PodSpec' };

/** Follows a reference. */
export function typeOf(openApi: OpenApi, schema: Schema): Type {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference === undefined) return { name: '', schema };
  const component = reference.slice(reference.lastIndexOf('/') + 1);
  const resolved = openApi.components.schemas[component];
  if (resolved === undefined) throw new Error(`no component ${component}`);
  return { name: component.slice(component.lastIndexOf('.') + 1), schema: resolved };
}

/** `Container.env`, and so on: every field of every type that a pod's spec is made of. */
export function fieldsOfPod(openApi: OpenApi): ReadonlySet<string> {
  const fields = new Set<string>();
  const visit = (schema: Schema): void => {
    const type = typeOf(openApi, schema);
    for (const child of [type.schema.items, type.schema.additionalProperties]) if (child) visit(child);
    for (const [name, property] of Object.entries(type.schema.properties ?? {})) {
      const field = `${type.name}.${name}`;
      if (fields.has(field)) continue;
      fields.add(field);
      visit(property);
    }
  };
  visit(POD_SPEC);
  return fields;
}

/** Those of the fields that a pod's spec has, with another value than null. */
export function fieldsReached(openApi: OpenApi, spec: unknown): ReadonlySet<string> {
  const fields = new Set<string>();
  const visit = (schema: Schema, value: unknown): void => {
    const type = typeOf(openApi, schema);
    if (Array.isArray(value)) for (const item of value) visit(type.schema.items ?? {}, item);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, child] of Object.entries(value)) {
        const property = type.schema.properties?.[name] ?? type.schema.additionalProperties;
        if (property === undefined) continue;
        if (child !== null && type.schema.properties) fields.add(`${type.name}.${name}`);
        visit(property, child);
      }
    }
  };
  visit(POD_SPEC, spec);
  return fields;
}
