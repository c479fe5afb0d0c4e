import { isScalar, LineCounter, parseAllDocuments, visit, type Document, type YAMLMap } from 'yaml';
import type { FieldPath } from '../api/field-path.ts';
import { offsetAt, offsetOf } from './yaml-place.ts';

/** A place in a text; both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One document of a YAML or JSON text. */
export interface YamlDocument {
  readonly value: unknown;
  /** Where a value stands, or the nearest thing above it that is written. */
  positionOf(path: FieldPath): Position;
}

/** The text is not YAML. */
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

/**
 * The documents of a text that hold something. JSON is YAML.
 * @throws NotYaml with the place of the first error
 */
export function parseYaml(text: string): readonly YamlDocument[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    merge: true,
    prettyErrors: false,
    // The library compares each key with all before it: a map of 90,000 takes minutes.
    uniqueKeys: false,
  });
  if ('empty' in documents) return [];
  return documents.filter(({ contents }) => contents !== null).map((document) => documentOf(document, lines));
}

function documentOf(document: Document, lines: LineCounter): YamlDocument {
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const [error] = document.errors;
  if (error !== undefined) {
    const isDepth = error.code === 'RESOURCE_EXHAUSTION';
    throw new NotYaml(isDepth ? 'it is nested too deeply' : error.message, at(error.pos[0]));
  }
  visit(document, {
    Map: (_, map) => {
      refuseRepeatedKeys(map, at);
    },
  });
  return {
    value: valueOf(document, at),
    positionOf: (path) => at(offsetAt(document.contents, path.keys())),
  };
}

function refuseRepeatedKeys({ items }: YAMLMap, at: (offset: number) => Position): void {
  const seen = new Set<unknown>();
  for (const { key } of items) {
    if (!isScalar(key)) throw new NotYaml('a key must be text', at(offsetOf(key)));
    const name = String(key.value);
    if (seen.has(name) && name !== '<<') {
      throw new NotYaml(`the key ${JSON.stringify(name)} is there already`, at(offsetOf(key)));
    }
    seen.add(name);
  }
}

function valueOf(document: Document, at: (offset: number) => Position): unknown {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new NotYaml(message, at(offsetOf(document.contents)));
  }
}
