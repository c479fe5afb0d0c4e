import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emitProduct } from './support/emitted-product.ts';

/** What npm would publish runs, and judges as the sources do. */
const folder = mkdtempSync(join(tmpdir(), 'daskwarden-published-'));
try {
  const program = emitProduct(folder);
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  const version = run('version');
  if (!version.includes('daskwarden')) throw new Error(`'daskwarden version' printed: ${version}`);
  const verdict = run('check', join(import.meta.dirname, '..', 'examples', 'cluster.yaml'));
  console.log(version.trim());
  console.log(verdict.trim());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
