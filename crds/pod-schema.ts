import {
  freeObject,
  listByKey,
  listOf,
  mapOf,
  object,
  quantity,
  type StructuralSchema,
} from './structural-schema.ts';

/** What is read of `/openapi/v3/api/v1`. */
export interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, OpenApiSchema>> };
}

interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema;
  readonly items?: OpenApiSchema;
  readonly 'x-kubernetes-map-type'?: string;
}

/**
 * Lists whose items two appliers may share. The Pod API's other keyed lists stay atomic: it admits repeated names of
 * variables and repeated ports, and a key with a default (`protocol: TCP`) would be written back into the object.
 */
const KEYED_LISTS: ReadonlySet<string> = new Set([
  'PodSpec.containers',
  'PodSpec.initContainers',
  'PodSpec.volumes',
]);

export class UnknownOpenApi extends Error {
  override readonly name = 'UnknownOpenApi';
}

/**
 * A type of the core API as a structural schema that is never stricter than the API itself: no required fields, no
 * enumerations and no patterns, because the API server's own validation of a pod is more lenient than its OpenAPI in
 * places; no defaults, because they are written back.
 *
 * @param component its full name: `io.k8s.api.core.v1.PodTemplateSpec`
 * @throws {UnknownOpenApi} where the document has what this converter does not know
 */
export function structuralSchemaOf(openApi: OpenApi, component: string): StructuralSchema {
  return new Converter(openApi).component(component);
}

class Converter {
  private readonly openApi: OpenApi;

  constructor(openApi: OpenApi) {
    this.openApi = openApi;
  }

  component(name: string): StructuralSchema {
    const schema = this.openApi.components.schemas[name];
    if (schema === undefined) throw new UnknownOpenApi(`the API server's OpenAPI has no component '${name}'`);
    const kind = name.slice(name.lastIndexOf('.') + 1);
    if (kind === 'Quantity') return quantity;
    if (kind === 'IntOrString') return { 'x-kubernetes-int-or-string': true };
    return this.convert(schema, kind);
  }

  private convert(schema: OpenApiSchema, place: string): StructuralSchema {
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
    if (reference !== undefined) return this.component(reference.slice(reference.lastIndexOf('/') + 1));
    switch (schema.type) {
      case 'object':
        return this.object(schema, place);
      case 'array':
        return this.list(schema, place);
      case 'integer':
        return schema.format === 'int32' || schema.format === 'int64'
          ? { type: 'integer', format: schema.format }
          : { type: 'integer' };
      case 'string':
      case 'boolean':
      case 'number':
        return { type: schema.type };
      default:
        throw new UnknownOpenApi(`${place}: cannot convert ${JSON.stringify(schema)}`);
    }
  }

  private object(schema: OpenApiSchema, place: string): StructuralSchema {
    const atomic =
      schema['x-kubernetes-map-type'] === 'atomic' ? { 'x-kubernetes-map-type': 'atomic' as const } : {};
    if (schema.additionalProperties) {
      return { ...mapOf(this.convert(schema.additionalProperties, place)), ...atomic };
    }
    if (!schema.properties) return freeObject;
    const names = Object.keys(schema.properties).sort();
    return object(
      Object.fromEntries(
        names.map((name) => [name, this.convert(schema.properties?.[name] ?? {}, `${place}.${name}`)]),
      ),
      atomic,
    );
  }

  private list(schema: OpenApiSchema, place: string): StructuralSchema {
    if (!schema.items) throw new UnknownOpenApi(`${place}: a list without items`);
    const items = this.convert(schema.items, `${place}[]`);
    return KEYED_LISTS.has(place) ? listByKey('name', items) : listOf(items);
  }
}
