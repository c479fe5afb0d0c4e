import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { moduleOf, type BinaryName } from '../../../src/control-plane/versions.ts';
import { fakeExecutable } from './fake-executable.ts';

/** What a fake `go` was called with. */
export interface GoCall {
  readonly args: string;
  readonly env: Readonly<Record<string, string>>;
}

const SCRIPT = (calls: string, onBuild: string): string => `
echo "$*|$HOME|$GOPROXY|$CGO_ENABLED|$GOCACHE|$GOMODCACHE|$GOTOOLCHAIN" >> '${calls}'
case "$1" in
list) echo go: downloading something; echo fmt; echo example.test/a; echo example.test/b/c ;;
build)
  ${onBuild}
  while [ "$#" -gt 0 ]; do
    case "$1" in
    -o) target="$2"; shift ;;
    */*) package="$1"; case "$target" in */) make "$target$(basename "$package")" ;; *) make "$target" ;; esac ;;
    esac
    shift
  done ;;
esac`;

/** Writes an executable `go` that builds scripts, after it has run `onBuild` (shell). */
export async function fakeGo(
  folder: string,
  onBuild = ':',
): Promise<{ readonly calls: () => Promise<GoCall[]> }> {
  const log = join(folder, 'go-calls');
  const make = 'make() { printf "#!/bin/sh\\necho built\\n" > "$1"; chmod 755 "$1"; }';
  await fakeExecutable(folder, 'go', `${make}\n${SCRIPT(log, onBuild)}`);
  return {
    calls: async () => {
      const lines = (await readFile(log, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
      return lines.map((line) => {
        const [
          args = '',
          HOME = '',
          GOPROXY = '',
          CGO_ENABLED = '',
          GOCACHE = '',
          GOMODCACHE = '',
          GOTOOLCHAIN = '',
        ] = line.split('|');
        return { args, env: { HOME, GOPROXY, CGO_ENABLED, GOCACHE, GOMODCACHE, GOTOOLCHAIN } };
      });
    },
  };
}

/** Writes an executable that tells an acceptable version. */
export function fakeBinary(folder: string, name: BinaryName): Promise<string> {
  return fakeExecutable(folder, name, `echo ${moduleOf(name).version}`);
}
