import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  visit,
  type Document,
  type Node,
} from 'yaml';
import type { FieldPath } from '../../api/field-path.ts';
import { duplicate, type Finding } from '../../core/findings.ts';
import { fieldPathOf, printable } from '../../core/structure/place.ts';
import { STRUCTURE } from '../../core/structure/structural-finding.ts';
import { KUBERNETES_YAML } from './yaml-schema.ts';

export interface Position {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
}

type Keys = readonly (string | number)[];

/** A document that is not YAML, or no tree. */
export class NotYaml extends Error {
  override readonly name = 'NotYaml';
  readonly position: Position;

  constructor(message: string, position: Position) {
    super(message);
    this.position = position;
  }
}

/** Aliases may make a small text a huge object; more than this many of one anchor is refused. */
const MOST_ALIASES = 100;

interface Duplicate {
  readonly keys: Keys;
  readonly first: Position;
}

/** One object of a YAML or JSON text: a document, or an item of one that is a list. */
export class Manifest {
  readonly object: unknown;
  private readonly source: Source;
  private readonly place: Keys;

  constructor(object: unknown, source: Source, place: Keys = []) {
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

  /** Keys that are written twice: every reader of YAML keeps only one of them, and not the same. */
  duplicates(): readonly Finding[] {
    const depth = this.place.length;
    return this.source.duplicates
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

interface Source {
  readonly duplicates: readonly Duplicate[];
  positionOf(keys: Keys): Position;
}

/** Every document of a text that says anything, in order; one that cannot be read does not keep the others back. */
export function parseManifests(text: string): readonly (Manifest | NotYaml)[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text.replace(/^\uFEFF/, ''), {
    ...KUBERNETES_YAML,
    lineCounter: lines,
    prettyErrors: false,
  });
  if ('empty' in documents) return [];
  return documents
    .filter(({ contents, errors }) => saysSomething(contents) || errors.length > 0)
    .map((document) => read(document, lines));
}

/** Templates that were switched off leave documents of comments. */
function saysSomething(contents: unknown): boolean {
  return contents !== null && !(isScalar(contents) && contents.value === null);
}

function read(document: Document, lines: LineCounter): Manifest | NotYaml {
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const error = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY');
  if (error !== undefined) return new NotYaml(error.message, at(error.pos[0]));
  try {
    const object: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
    return new Manifest(object, {
      duplicates: document.errors.length === 0 ? [] : duplicatesIn(document, at),
      positionOf: (keys) => at(locate(document.contents, keys)),
    });
  } catch (problem) {
    // Aliases that lead nowhere, or to too much.
    return new NotYaml(
      problem instanceof Error ? problem.message : String(problem),
      at(offsetOf(document.contents)),
    );
  }
}

/** The parser says of a second key only where it stands. */
function duplicatesIn(document: Document, at: (offset: number) => Position): readonly Duplicate[] {
  const second = new Set(document.errors.map(({ pos }) => pos[0]));
  const found: Duplicate[] = [];
  visit(document, {
    Pair: (_, pair, ancestors) => {
      if (!second.has(offsetOf(pair.key))) return;
      const holder = ancestors.at(-1);
      const name = keyOf(pair);
      const before = isMap(holder) ? holder.items.find((other) => keyOf(other) === name) : undefined;
      found.push({ keys: [...keysTo(ancestors), name], first: at(offsetOf(before?.key)) });
    },
  });
  return found;
}

/** The keys that lead to the last of some nodes, each within the one before. */
function keysTo(nodes: readonly unknown[]): Keys {
  return nodes.flatMap((node, index): Keys => {
    if (typeof node === 'object' && node !== null && 'key' in node) return [keyOf(node)];
    const within = nodes[index - 1];
    return isSeq(within) ? [within.items.indexOf(node)] : [];
  });
}

function keyOf({ key }: { readonly key: unknown }): string {
  return String(isScalar(key) ? key.value : key);
}

function locate(root: unknown, keys: Keys): number {
  let node = root;
  let offset = offsetOf(root);
  for (const key of keys) {
    if (isMap(node)) {
      // Of a key that is there twice the last one counts.
      const pair = node.items.findLast((item) => keyOf(item) === String(key));
      if (pair === undefined) return offset;
      offset = offsetOf(pair.key);
      node = pair.value;
    } else if (isSeq(node) && typeof key === 'number') {
      const item = node.items[key];
      if (item === undefined) return offset;
      offset = offsetOf(item);
      node = item;
    } else {
      return offset;
    }
  }
  return offset;
}

function offsetOf(node: unknown): number {
  return (node as Node | null | undefined)?.range?.[0] ?? 0;
}
