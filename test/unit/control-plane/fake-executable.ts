import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Writes a shell script that can be executed as `name` in `folder`. @returns its path. */
export async function fakeExecutable(folder: string, name: string, script: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

export const KUBECTL_1_36 = 'echo "Client Version: v1.36.1"; echo "Kustomize Version: v5.8.1"';
