import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What npm would publish: emitted JavaScript that runs without the TypeScript sources. */
const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'daskwarden-published-'));
try {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  execFileSync(tsc, ['-p', 'tsconfig.build.json', '--outDir', join(folder, 'dist')], {
    cwd: root,
    stdio: 'inherit',
  });
  for (const file of ['package.json', 'crds'])
    cpSync(join(root, file), join(folder, file), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, [join(folder, 'dist', 'src', 'cli', 'main.js'), ...args], {
      encoding: 'utf8',
    });
  const version = run('version');
  if (!version.includes('daskwarden')) throw new Error(`'daskwarden version' printed: ${version}`);
  const verdict = run('check', join(root, 'examples', 'cluster.yaml'));
  console.log(version.trim());
  console.log(verdict.trim());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
