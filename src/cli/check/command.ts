import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs, styleText } from 'node:util';
import { DASK_CLUSTER_KIND, GATEWAY_GROUP } from '../../api/names.ts';
import type { Finding } from '../../core/findings.ts';
import { judge } from '../../core/judge.ts';
import { UsageError } from '../usage-error.ts';
import { NotYaml, parseManifests, type Manifest, type Position } from './manifest.ts';

export const CHECK_USAGE = `usage: daskwarden check FILE|FOLDER… | -

Applies the rules of the admission webhook to the DaskClusters in YAML or JSON files, without a cluster.
A folder is searched with its subfolders (*.yaml, *.yml, *.json), '-' reads standard input, and objects of other
kinds are ignored.

exit codes: 0 none would be refused (there may be warnings), 1 at least one would be refused,
            2 wrong usage, or a file that cannot be read`;

/** Tally of a run. */
interface Tally {
  clusters: number;
  refused: number;
  unreadable: number;
}

interface Output {
  readonly write: (line: string) => void;
  readonly colour: boolean;
}

/** @returns the exit code that the usage text documents */
export async function check(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  const output: Output = {
    write: (line) => process.stdout.write(`${line}\n`),
    colour: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
  };
  if (values.help === true) {
    output.write(CHECK_USAGE);
    return 0;
  }
  if (positionals.length === 0)
    throw new UsageError('name at least one file or folder, or - for standard input', CHECK_USAGE);
  const tally: Tally = { clusters: 0, refused: 0, unreadable: 0 };
  for (const path of await expand(positionals)) await checkFile(path, output, tally);
  output.write(summary(tally));
  if (tally.unreadable > 0) return 2;
  return tally.refused > 0 ? 1 : 0;
}

/** Where none is found it names the group: dask-kubernetes has a kind of the same name. */
function summary({ clusters, refused, unreadable }: Tally): string {
  const judged =
    clusters === 0
      ? `no DaskCluster of ${GATEWAY_GROUP} found`
      : `${counted(clusters, 'DaskCluster')}, ${String(refused)} would be refused`;
  return unreadable === 0 ? judged : `${judged}; ${counted(unreadable, 'file')} could not be read`;
}

function counted(count: number, thing: string): string {
  return `${String(count)} ${thing}${count === 1 ? '' : 's'}`;
}

async function expand(paths: readonly string[]): Promise<readonly string[]> {
  const files: string[] = [];
  for (const path of paths) {
    const isFolder = path !== '-' && (await stat(path).catch(() => undefined))?.isDirectory() === true;
    if (!isFolder) {
      files.push(path);
      continue;
    }
    const entries = await readdir(path, { recursive: true });
    files.push(
      ...entries
        .filter((entry) => /\.(ya?ml|json)$/.test(entry))
        .sort()
        .map((entry) => join(path, entry)),
    );
  }
  return files;
}

async function checkFile(path: string, output: Output, tally: Tally): Promise<void> {
  const name = path === '-' ? '<stdin>' : path;
  try {
    const content = path === '-' ? await text(process.stdin) : await readFile(path, 'utf8');
    for (const manifest of parseManifests(content)) {
      if (isDaskCluster(manifest.object)) checkManifest(name, manifest, output, tally);
    }
  } catch (error) {
    if (!(error instanceof NotYaml) && !isFileError(error)) throw error;
    tally.unreadable += 1;
    const at = error instanceof NotYaml ? error.position : undefined;
    output.write(`${place(name, at)}: ${paint(output, 'red', 'error')} ${error.message}`);
  }
}

function checkManifest(file: string, manifest: Manifest, output: Output, tally: Tally): void {
  const { findings, denied } = judge({ object: manifest.object });
  tally.clusters += 1;
  if (denied) tally.refused += 1;
  for (const finding of findings)
    output.write(line(file, manifest.positionOf(finding.path), finding, output));
}

function line(file: string, at: Position, { level, path, message, rule }: Finding, output: Output): string {
  const word = paint(output, level === 'error' ? 'red' : 'yellow', level);
  return `${place(file, at)}: ${word} ${paint(output, 'bold', path.toString())}: ${message} [${rule}]`;
}

function place(file: string, at: Position | undefined): string {
  return at === undefined ? file : `${file}:${String(at.line)}:${String(at.column)}`;
}

function paint(output: Output, style: 'red' | 'yellow' | 'bold', words: string): string {
  return output.colour ? styleText(style, words, { validateStream: false }) : words;
}

function isDaskCluster(object: unknown): boolean {
  if (typeof object !== 'object' || object === null) return false;
  const { apiVersion, kind } = object as { apiVersion?: unknown; kind?: unknown };
  return (
    kind === DASK_CLUSTER_KIND && typeof apiVersion === 'string' && apiVersion.startsWith(`${GATEWAY_GROUP}/`)
  );
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}
