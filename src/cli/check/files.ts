import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';

/** A file as it is named in what is told, and what is in it or why it cannot be read. */
export type SourceFile =
  { readonly name: string; readonly text: string } | { readonly name: string; readonly problem: string };

const STANDARD_INPUT = '-';

/** The files that paths name: a folder stands for the manifests in it and its subfolders, `-` for standard input. */
export async function* sourceFiles(
  paths: readonly string[],
  stdin: Readable,
): AsyncGenerator<SourceFile, void, undefined> {
  for (const path of paths) {
    if (path === STANDARD_INPUT) {
      yield { name: '<stdin>', text: await text(stdin) };
      continue;
    }
    for await (const file of filesUnder(path)) yield file;
  }
}

async function* filesUnder(path: string): AsyncGenerator<SourceFile, void, undefined> {
  let files: readonly string[];
  try {
    files = (await stat(path)).isDirectory() ? await manifestsIn(path) : [path];
  } catch (error) {
    yield unreadable(path, error);
    return;
  }
  for (const file of files) yield await read(file);
}

async function manifestsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries
    .filter((entry) => /\.(ya?ml|json)$/.test(entry))
    .sort()
    .map((entry) => join(folder, entry));
}

async function read(name: string): Promise<SourceFile> {
  try {
    return { name, text: await readFile(name, 'utf8') };
  } catch (error) {
    return unreadable(name, error);
  }
}

function unreadable(name: string, error: unknown): SourceFile {
  if (!(error instanceof Error && 'syscall' in error)) throw error;
  return { name, problem: error.message };
}
