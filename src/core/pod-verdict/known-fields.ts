import { isObject, type JsonObject } from '../structure/json.ts';

const REFERENCE = '#/components/schemas/';
const POD = 'io.k8s.api.core.v1.Pod';
/** A pod has about two hundred; a document with more is none of Kubernetes'. */
const MOST_SCHEMAS = 2_000;

interface Shape {
  /** Of an object with named fields. */
  readonly fields?: ReadonlyMap<string, Shape | string>;
  /** Of the entries of a list or a map. */
  readonly entries?: Shape | string;
}

/** The fields of a pod that an API server knows, by its own OpenAPI document. Holds nothing else of the document. */
export class KnownFields {
  private readonly shapes: ReadonlyMap<string, Shape>;

  private constructor(shapes: ReadonlyMap<string, Shape>) {
    this.shapes = shapes;
  }

  /**
   * @param document what `GET /openapi/v3/api/v1` answers, parsed
   * @throws TypeError where it does not describe pods
   */
  static of(document: unknown): KnownFields {
    const components = isObject(document) ? document['components'] : undefined;
    const schemas = isObject(components) ? components['schemas'] : undefined;
    if (!isObject(schemas) || !isObject(schemas[POD]))
      throw new TypeError(`the document has no schema ${POD}`);
    const shapes = new Map<string, Shape>();
    const waiting = [POD];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const schema = schemas[name];
      if (shapes.has(name) || !isObject(schema) || shapes.size >= MOST_SCHEMAS) continue;
      const shape = shapeOf(schema, (reference) => waiting.push(reference));
      shapes.set(name, typeof shape === 'string' ? {} : shape);
    }
    return new KnownFields(shapes);
  }

  /** @param segments keys and indices from the pod on */
  has(segments: readonly string[]): boolean {
    let shape: Shape | string | undefined = POD;
    for (const segment of segments) {
      const { fields, entries }: Shape = (typeof shape === 'string' ? this.shapes.get(shape) : shape) ?? {};
      shape = fields?.get(segment) ?? entries;
      if (shape === undefined) return false;
    }
    return true;
  }
}

/** @returns the name of another schema where it is only a reference to that */
function shapeOf(schema: JsonObject, refer: (name: string) => void): Shape | string {
  const reference = referenceOf(schema);
  if (reference !== undefined) {
    refer(reference);
    return reference;
  }
  const { properties, items, additionalProperties } = schema;
  const entries = [items, additionalProperties].find(isObject);
  return {
    ...(isObject(properties) && {
      fields: new Map(
        Object.entries(properties).map(([name, property]) => [
          name,
          isObject(property) ? shapeOf(property, refer) : {},
        ]),
      ),
    }),
    ...(entries && { entries: shapeOf(entries, refer) }),
  };
}

/** Kubernetes wraps a reference in `allOf` where a default or a description stands beside it. */
function referenceOf({ $ref, allOf }: JsonObject): string | undefined {
  if (typeof $ref === 'string') return $ref.replace(REFERENCE, '');
  const first: unknown = Array.isArray(allOf) ? allOf[0] : undefined;
  return isObject(first) ? referenceOf(first) : undefined;
}
