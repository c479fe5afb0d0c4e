import type { FieldPath } from '../../api/field-path.ts';
import { duplicate, type Finding } from '../../core/findings.ts';
import { fieldPathOf, printable } from '../../core/structure/place.ts';
import { STRUCTURE } from '../../core/structure/structural-finding.ts';
import { NotYaml, yamlDocuments, type Position, type YamlDocument } from '../../platform/yaml-documents.ts';
import { KUBERNETES_YAML } from './yaml-schema.ts';

type Keys = readonly (string | number)[];

/** One object of a YAML or JSON text: a document, or an item of one that is a list. */
export class Manifest {
  readonly object: unknown;
  private readonly source: YamlDocument;
  private readonly place: Keys;

  constructor(object: unknown, source: YamlDocument, place: Keys = []) {
    this.object = object;
    this.source = source;
    this.place = place;
  }

  /** Where the object begins. */
  get start(): Position {
    return this.source.positionOf(this.place);
  }

  /** Where a value stands, or the nearest thing above it that is written. */
  positionOf(path: FieldPath): Position {
    return this.source.positionOf([...this.place, ...path.keys()]);
  }

  /** Keys that are written twice. */
  duplicates(): readonly Finding[] {
    const depth = this.place.length;
    return this.source.repeatedKeys
      .filter(({ keys }) => this.place.every((key, index) => keys[index] === key))
      .map(({ keys, first }) => {
        const path = fieldPathOf(this.object, keys.slice(depth).map(String));
        const value = printable(String(keys.at(-1)));
        const message = `the key is there already, on line ${String(first.line)}; remove one of the two`;
        return duplicate({ rule: STRUCTURE, path, value, message });
      });
  }

  /** The items of a `List` of any kind, each an object of its own. */
  items(): readonly Manifest[] {
    const { items } = this.object as { readonly items?: unknown };
    if (!Array.isArray(items)) return [];
    return items.map((item, index) => new Manifest(item, this.source, [...this.place, 'items', index]));
  }
}

/** Every document of a text that says anything, in order; one that cannot be read does not keep the others back. */
export function parseManifests(text: string): readonly (Manifest | NotYaml)[] {
  return yamlDocuments(text, KUBERNETES_YAML).map((document) =>
    document instanceof NotYaml ? document : new Manifest(document.value, document),
  );
}
