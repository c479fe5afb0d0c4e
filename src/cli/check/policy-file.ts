import { readFile } from 'node:fs/promises';
import { parsePolicy } from '../../core/policy/parse.ts';
import { DEFAULT_POLICY, type Policy } from '../../core/policy/policy.ts';
import { NotYaml, parseManifests, type Position } from './manifest.ts';

/** A configuration of rules cannot be used; the message has a line for each thing that is wrong, with its place. */
export class PolicyFileError extends Error {
  override readonly name = 'PolicyFileError';
}

/** @throws PolicyFileError */
export async function policyOf(file: string | undefined): Promise<Policy> {
  if (file === undefined) return DEFAULT_POLICY;
  const [document, ...others] = parseManifests(await textOf(file));
  if (document === undefined) throw new PolicyFileError(`${file}: is empty: write {} for the defaults`);
  if (document instanceof NotYaml) throw new PolicyFileError(at(file, document.position, document.message));
  const [second] = others;
  if (second !== undefined) {
    const where = second instanceof NotYaml ? second.position : second.start;
    throw new PolicyFileError(at(file, where, 'a second document; a configuration is one'));
  }
  const parsed = parsePolicy(document.object);
  const problems = [...document.duplicates(), ...('problems' in parsed ? parsed.problems : [])];
  if ('policy' in parsed && problems.length === 0) return parsed.policy;
  const lines = problems.map(({ path, message }) => {
    const words = path.keys().length === 0 ? message : `${path.toString()}: ${message}`;
    return at(file, document.positionOf(path), words);
  });
  throw new PolicyFileError(lines.join('\n'));
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new PolicyFileError(`${file}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function at(file: string, { line, column }: Position, words: string): string {
  return `${file}:${String(line)}:${String(column)}: ${words}`;
}
