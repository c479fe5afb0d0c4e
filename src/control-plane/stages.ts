import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packagePath } from '../platform/package-root.ts';

/**
 * kwok's stages, that is, what it does with nodes and pods, as one YAML stream. The files of `stages/` are copies from
 * sigs.k8s.io/kwok v0.8.0 (Apache-2.0; Copyright The Kubernetes Authors), folders kustomize/stage/node/fast,
 * node/heartbeat-with-lease and pod/fast: a kwok from a PATH comes without them, and has none built in.
 */
export async function readStages(): Promise<string> {
  const folder = packagePath('src', 'control-plane', 'stages');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const documents = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return documents.join('---\n');
}
