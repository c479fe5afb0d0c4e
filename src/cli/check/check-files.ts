import type { Readable } from 'node:stream';
import { NotYaml } from '../../platform/yaml-documents.ts';
import { daskClustersIn } from './dask-clusters.ts';
import { sourceFiles } from './files.ts';
import { inOrder } from './in-order.ts';
import type { Judging } from './judging.ts';
import { parseManifests, type Manifest } from './manifest.ts';
import type { CheckOptions } from './options.ts';
import { isRefused, type Judged, type Report, type Tally, type Unreadable } from './report.ts';
import type { ServerCheck } from './server-check.ts';

export interface FilesContext {
  readonly judging: Judging;
  readonly report: Report;
  readonly server: ServerCheck | undefined;
  readonly stdin: Readable;
}

/** While podcheck judges in its thread the next files are parsed; as many as this wait for it at most. */
const MOST_AT_ONCE = 32;
const DEFAULT_NAMESPACE = 'default';

type Found = { readonly file: string; readonly cluster: Manifest } | Unreadable;

export async function checkFiles(options: CheckOptions, context: FilesContext): Promise<Tally> {
  const { report, stdin } = context;
  const namespace = options.namespace ?? DEFAULT_NAMESPACE;
  const unreadable = new Set<string>();
  let judged = 0;
  let refused = 0;
  const found = clustersIn(options.paths, stdin);
  const results = inOrder(found, MOST_AT_ONCE, async (each): Promise<Judged | Unreadable> =>
    'cluster' in each ? judge(each.file, each.cluster, namespace, context) : each,
  );
  for await (const result of results) {
    if ('message' in result) {
      unreadable.add(result.file);
      report.unreadable(result);
      continue;
    }
    judged += 1;
    if (isRefused(result)) refused += 1;
    report.judged(result);
  }
  const notes = context.server?.notes() ?? [];
  for (const note of notes) report.note(note);
  return { judged, pods: 0, refused, unreadable: unreadable.size, incomplete: notes.length > 0 };
}

async function* clustersIn(
  paths: readonly string[],
  stdin: Readable,
): AsyncGenerator<Found, void, undefined> {
  for await (const file of sourceFiles(paths, stdin)) {
    if ('text' in file) yield* foundIn(file.name, file.text);
    else yield { file: file.name, position: undefined, message: file.problem };
  }
}

function* foundIn(file: string, text: string): Generator<Found, void, undefined> {
  for (const document of parseManifests(text)) {
    if (document instanceof NotYaml) yield { file, position: document.position, message: document.message };
    else for (const cluster of daskClustersIn(document)) yield { file, cluster };
  }
}

async function judge(
  file: string,
  cluster: Manifest,
  defaultNamespace: string,
  { judging, server }: FilesContext,
): Promise<Judged> {
  const subject = await judging.judge(cluster.object, { defaultNamespace });
  const here = [...cluster.duplicates(), ...subject.findings];
  const there = (await server?.findings(subject)) ?? [];
  const known = new Set(here.map(({ path }) => path.toString()));
  const findings = [...here, ...there.filter(({ path }) => !known.has(path.toString()))].map((finding) => ({
    finding,
    position: cluster.positionOf(finding.path),
  }));
  return { file, start: cluster.start, namespace: subject.namespace, name: subject.name, findings };
}
