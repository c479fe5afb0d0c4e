import { execFileSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
/** Beside the JavaScript: what the package has and the program reads at run time. */
const DATA = [
  'package.json',
  'crds',
  'webhooks/podcheck/podcheck.wasm.gz',
  'webhooks/podcheck/podcheck.json',
];

/**
 * Puts into a folder what npm would publish: emitted JavaScript that runs without the TypeScript sources.
 * @returns path of the program of the command `daskwarden`
 */
export function emitProduct(folder: string): string {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  execFileSync(tsc, ['-p', 'tsconfig.build.json', '--outDir', join(folder, 'dist')], {
    cwd: root,
    stdio: 'inherit',
  });
  for (const file of DATA) cpSync(join(root, file), join(folder, file), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'dist', 'src', 'cli', 'main.js');
}
