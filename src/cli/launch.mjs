/**
 * Runs a program under the Node of the lock file, and installs the dependencies first where they are missing: a fresh
 * clone needs nothing but some Node to start from. Plain JavaScript, since that Node may be older than the one it is
 * looking for.
 *
 *     node src/cli/launch.mjs node <program.ts> [arguments]
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 24;
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

function isInstalled() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  return (
    existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs
  );
}

function install() {
  console.error('Installing the dependencies with npm ci (about a minute, about 400 MB in node_modules)');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // Standard output belongs to the program that is launched.
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync(npm, flags, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  console.error(
    `npm ci failed${error === undefined ? '' : ` (${error.message})`}: the reason stands above this line`,
  );
  process.exit(1);
}

function nodeOfLockFile() {
  const bundled = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(bundled)) return bundled;
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return process.execPath;
  console.error(
    `daskwarden needs Node ${String(OLDEST_NODE)}; npm installed none for ${process.platform}-${process.arch}, and this is Node ${process.versions.node}: install Node ${String(OLDEST_NODE)} and try again`,
  );
  return process.exit(1);
}

const [word, program, ...args] = process.argv.slice(2);
if (word !== 'node' || program === undefined) {
  console.error('usage: node src/cli/launch.mjs node <program.ts> [arguments]');
  process.exit(2);
}
if (!isInstalled()) install();
const node = nodeOfLockFile();
const path = [dirname(node), process.env.PATH].join(process.platform === 'win32' ? ';' : ':');
const child = spawn(node, [join(root, program), ...args], {
  stdio: 'inherit',
  env: { ...process.env, PATH: path },
});
// A Ctrl-C reaches the child by itself; the launcher stays until the child has cleaned up.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(`${node} could not be started: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) =>
  process.exit(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 15)),
);
