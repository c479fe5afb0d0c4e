import { readFile, stat } from 'node:fs/promises';
import type { FieldPath } from '../api/field-path.ts';
import { ConfigurationError } from './configuration-error.ts';
import { NotYaml, parseYaml, type Position, type YamlDocument } from './yaml-documents.ts';

/** What a reader of configurations says of one that it cannot use. */
export interface Rejected {
  readonly problems: readonly { readonly path: FieldPath; readonly message: string }[];
}

/** Makes a configuration of what the file holds, or tells everything that is wrong with it. Never throws. */
export type ParseConfiguration<T extends object> = (document: unknown) => T | Rejected;

/** Of what a ConfigMap can hold. */
const MOST_BYTES = 1024 * 1024;
const MOST_PROBLEMS = 100;
// eslint-disable-next-line no-control-regex -- control characters are what is searched for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]+/g;

/** @throws ConfigurationError where there is no such file, or it is no text of at most 1 MiB */
export async function readConfigurationText(path: string): Promise<string> {
  let bytes: Buffer;
  try {
    const { size } = await regularFile(path);
    if (size > MOST_BYTES)
      throw new ConfigurationError([`${path}: has ${size} bytes; at most ${MOST_BYTES} are read`]);
    bytes = await readFile(path);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError([`${path}: cannot be read: ${reasonOf(error)}`]);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigurationError([`${path}: must be text in UTF-8`]);
  }
}

/** A pipe or a device would be waited for, perhaps for ever. */
async function regularFile(path: string): Promise<{ readonly size: number }> {
  const found = await stat(path);
  if (!found.isFile()) throw new ConfigurationError([`${path}: must be a file`]);
  return found;
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'permission is denied';
  return code ?? String(error);
}

/**
 * @param path named in messages alone
 * @throws ConfigurationError with every problem, each with its place
 */
export function parseConfigurationText<T extends object>(
  path: string,
  text: string,
  parse: ParseConfiguration<T>,
): T {
  const document = onlyDocument(path, text);
  const parsed = parse(document?.value);
  if (!isRejected(parsed)) return parsed;
  const lines = parsed.problems.slice(0, MOST_PROBLEMS).map((problem) => {
    const place = placeOf(document?.positionOf(problem.path.keys()));
    const field = problem.path.toString();
    // A key may hold anything, and a problem is one line.
    const text = `${field === '' ? '' : `${field}: `}${problem.message}`.replaceAll(CONTROL_CHARACTERS, ' ');
    return `${path}${place}: ${text}`;
  });
  const more = parsed.problems.length - lines.length;
  const told = more > 0 ? [...lines, `${path}: ${more} more problems are not listed`] : lines;
  throw new ConfigurationError(told as [string, ...string[]]);
}

function isRejected(parsed: object): parsed is Rejected {
  return 'problems' in parsed;
}

/** Undefined where the text holds nothing. */
function onlyDocument(path: string, text: string): YamlDocument | undefined {
  let documents: readonly YamlDocument[];
  try {
    documents = parseYaml(text);
  } catch (error) {
    if (!(error instanceof NotYaml)) throw error;
    throw new ConfigurationError([`${path}${placeOf(error.position)}: ${error.message}`]);
  }
  if (documents.length > 1) {
    throw new ConfigurationError([`${path}: must be one document; '---' begins another one`]);
  }
  return documents[0];
}

function placeOf(position: Position | undefined): string {
  return position === undefined ? '' : `:${position.line}:${position.column}`;
}
