import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file that stands at the root of the package, in a clone and in what npm installs, and nowhere else. */
const LANDMARK = join('crds', 'daskclusters.yaml');

/** Absolute path of a file that is shipped with the program: the sources and the emitted JavaScript differ in depth. */
export function packagePath(...segments: readonly string[]): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, LANDMARK))) {
    const parent = dirname(folder);
    if (parent === folder)
      throw new Error(`no folder above ${import.meta.dirname} has ${LANDMARK}: the package is incomplete`);
    folder = parent;
  }
  return join(folder, ...segments);
}
