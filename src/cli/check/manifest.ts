import { LineCounter, isMap, isScalar, isSeq, parseAllDocuments, type Document, type Node } from 'yaml';
import type { FieldPath } from '../../api/field-path.ts';

export interface Position {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
}

/** One document of a YAML or JSON text. */
export interface Manifest {
  readonly object: unknown;
  /** Where the document begins. */
  readonly start: Position;
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

/** @throws NotYaml with the place of the first error */
export function parseManifests(text: string): readonly Manifest[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, merge: true, prettyErrors: false });
  if ('empty' in documents) return [];
  return documents
    .filter((document) => document.contents !== null)
    .map((document) => manifestOf(document, lines));
}

function manifestOf(document: Document, lines: LineCounter): Manifest {
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const [error] = document.errors;
  if (error !== undefined) throw new NotYaml(error.message, at(error.pos[0]));
  return {
    object: toObject(document, at),
    start: at(offsetOf(document.contents)),
    positionOf: (path) => at(locate(document.contents, path.keys())),
  };
}

function toObject(document: Document, at: (offset: number) => Position): unknown {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    throw new NotYaml(
      error instanceof Error ? error.message : String(error),
      at(offsetOf(document.contents)),
    );
  }
}

function locate(root: unknown, keys: readonly (string | number)[]): number {
  let node = root;
  let offset = offsetOf(root);
  for (const key of keys) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
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
  return (node as Node | null)?.range?.[0] ?? 0;
}
