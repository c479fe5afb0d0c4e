import { readFile, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';

export interface GeneratedFile {
  readonly path: string;
  readonly content: string;
  /** The command that writes the file. */
  readonly command: string;
}

/**
 * Writes the file, or with `check` only compares it with what is there.
 * @returns one line that says what came out, and whether all is well
 */
export async function writeOrCheck(
  file: GeneratedFile,
  check: boolean,
): Promise<{ readonly ok: boolean; readonly message: string }> {
  const name = relative(process.cwd(), file.path);
  const size = `${file.content.length} characters`;
  if (!check) {
    await writeFile(file.path, file.content);
    return { ok: true, message: `${name} is written (${size})` };
  }
  const there = await readFile(file.path, 'utf8').catch(() => '');
  if (there === file.content) return { ok: true, message: `${name} is up to date (${size})` };
  return {
    ok: false,
    message: `${name} is not what '${file.command}' writes: ${difference(there, file.content)}`,
  };
}

function difference(there: string, wanted: string): string {
  if (there === '') return 'it is missing or empty';
  const lines = there.split('\n');
  const line = wanted.split('\n').findIndex((text, index) => text !== lines[index]);
  if (line < 0) return `it has lines after line ${wanted.split('\n').length}`;
  return `line ${line + 1} is ${excerpt(lines[line])}, not ${excerpt(wanted.split('\n')[line])}`;
}

function excerpt(line: string | undefined): string {
  return line === undefined ? 'missing' : `'${line.trim().slice(0, 120)}'`;
}
