import { LineCounter, parseAllDocuments, visit, type Document, type SchemaOptions } from 'yaml';
import { fieldOf, offsetAt, offsetOf } from './yaml-place.ts';

/** A place in a text; both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

type Keys = readonly (string | number)[];

/** A key that its map has already: every reader keeps only one of them, and not the same. */
export interface RepeatedKey {
  readonly keys: Keys;
  readonly position: Position;
  /** Where the map has it for the first time. */
  readonly first: Position;
}

/** One document of a YAML or JSON text. */
export interface YamlDocument {
  readonly value: unknown;
  /** In the order of the text. */
  readonly repeatedKeys: readonly RepeatedKey[];
  /** Where a value stands, or the nearest thing above it that is written. */
  positionOf(keys: Keys): Position;
}

/** The text is not YAML, or not what JSON can say. */
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
const MERGE_KEY = '<<';

/** Every document of a text that says anything, in order; one that cannot be read does not keep the others back. */
export function yamlDocuments(text: string, schema: SchemaOptions = {}): readonly (YamlDocument | NotYaml)[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text.replace(/^\uFEFF/, ''), {
    merge: true,
    ...schema,
    lineCounter: lines,
    prettyErrors: false,
    // The library warns on standard error of keys that are refused below.
    logLevel: 'error',
    // It also compares each key with all before it: a map of 90,000 takes minutes.
    uniqueKeys: false,
  });
  if ('empty' in documents) return [];
  return documents
    .filter(({ contents, errors }) => saysSomething(contents) || errors.length > 0)
    .map((document) => read(document, lines));
}

/**
 * The text of a file that is read as a whole: the first fault is one of the text.
 * @throws NotYaml with the place of the first error, also where a key is there twice
 */
export function parseYaml(text: string): readonly YamlDocument[] {
  return yamlDocuments(text).map((document) => {
    if (document instanceof NotYaml) throw document;
    const [repeated] = document.repeatedKeys;
    if (repeated === undefined) return document;
    const name = JSON.stringify(repeated.keys.at(-1));
    throw new NotYaml(`the key ${name} is there already`, repeated.position);
  });
}

/** Templates that were switched off leave documents of comments. */
function saysSomething(contents: unknown): boolean {
  return contents !== null && (contents as { readonly value?: unknown }).value !== null;
}

function read(document: Document, lines: LineCounter): YamlDocument | NotYaml {
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const [error] = document.errors;
  if (error !== undefined) {
    const isDepth = error.code === 'RESOURCE_EXHAUSTION';
    return new NotYaml(isDepth ? 'it is nested too deeply' : error.message, at(error.pos[0]));
  }
  try {
    const repeatedKeys = repeatedKeysOf(document, at);
    return {
      value: document.toJS({ maxAliasCount: MOST_ALIASES }),
      repeatedKeys,
      positionOf: (keys) => at(offsetAt(document.contents, keys)),
    };
  } catch (problem) {
    if (problem instanceof NotYaml) return problem;
    // Aliases that lead nowhere, or to too much.
    const message = problem instanceof Error ? problem.message : String(problem);
    return new NotYaml(message, at(offsetOf(document.contents)));
  }
}

/** @throws NotYaml where a key is a map, a list or nothing: JSON has no such thing */
function repeatedKeysOf(document: Document, at: (offset: number) => Position): readonly RepeatedKey[] {
  const repeated: RepeatedKey[] = [];
  visit(document, {
    Map: (_, map, ancestors) => {
      const seen = new Map<string, number>();
      for (const { key } of map.items) {
        const name = fieldOf(key);
        const offset = offsetOf(key);
        if (name === undefined) throw new NotYaml('a key must be text', at(offset));
        const first = seen.get(name);
        if (first === undefined) seen.set(name, offset);
        else if (name !== MERGE_KEY) {
          const keys = [...keysTo([...ancestors, map]), name];
          repeated.push({ keys, position: at(offset), first: at(first) });
        }
      }
    },
  });
  return repeated;
}

/** The keys that lead to the last of some nodes, each within the one before. */
function keysTo(nodes: readonly unknown[]): Keys {
  return nodes.flatMap((node, index): Keys => {
    if (typeof node !== 'object' || node === null) return [];
    if ('key' in node) return [fieldOf(node.key) ?? ''];
    const within = nodes[index - 1];
    const isItem = typeof within === 'object' && within !== null && 'items' in within && !('key' in within);
    const items = isItem ? (within.items as readonly unknown[]) : [];
    const place = items.indexOf(node);
    return place === -1 ? [] : [place];
  });
}
