import { FieldPath } from '../../api/field-path.ts';
import { printable } from '../structure/place.ts';
import schema from './policy.schema.json' with { type: 'json' };

/** The part of JSON Schema (draft-07) that the configuration's schema is written in. */
export interface PolicySchema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, PolicySchema>>;
  /** False where `properties` are all that there may be; of a map, the schema of every value. */
  readonly additionalProperties?: boolean | PolicySchema;
  readonly items?: PolicySchema;
  readonly definitions?: Readonly<Record<string, PolicySchema>>;
}

/** What the configuration file may hold; editors take the same file. */
export const POLICY_SCHEMA: PolicySchema = schema;

/** The schema with what it refers to: the description stays its own. */
export function resolved(part: PolicySchema): PolicySchema {
  if (part.$ref === undefined) return part;
  const { $ref, ...own } = part;
  const name = $ref.slice('#/definitions/'.length);
  return { ...POLICY_SCHEMA.definitions?.[name], ...own };
}

/** The schema of the values of a map with free keys; undefined for everything else. */
export function mapValues({ additionalProperties }: PolicySchema): PolicySchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

export interface Place {
  readonly path: FieldPath;
  /** Undefined where the schema knows no such place. */
  readonly schema: PolicySchema | undefined;
}

/** The place to which keys and indices lead: with its path as it is printed, and its schema. */
export function placeAt(segments: readonly string[]): Place {
  let path = FieldPath.root;
  let at: PolicySchema | undefined = POLICY_SCHEMA;
  for (const segment of segments) {
    const parent: PolicySchema = at === undefined ? {} : resolved(at);
    const values = mapValues(parent);
    if (parent.items !== undefined) {
      path = path.index(Number(segment));
      at = parent.items;
    } else if (values !== undefined) {
      path = path.key(printable(segment));
      at = values;
    } else {
      path = path.child(printable(segment));
      at = Object.hasOwn(parent.properties ?? {}, segment) ? parent.properties?.[segment] : undefined;
    }
  }
  return { path, schema: at && resolved(at) };
}
