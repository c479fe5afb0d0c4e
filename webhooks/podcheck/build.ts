import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
// eslint-disable-next-line no-restricted-imports -- a build script, and no part of the service
import { cacheFolder } from '../../src/control-plane/cache.ts';
import type { PodcheckRelease } from './release.ts';

/**
 * Builds podcheck.wasm.gz and podcheck.json, byte for byte the same for the same sources and toolchain:
 *
 *     node webhooks/podcheck/build.ts          writes both
 *     node webhooks/podcheck/build.ts --check  fails where the committed ones differ
 *
 * A check builds only what was not compared before: the cache folder holds the hash of the last comparison.
 */
const FOLDER = import.meta.dirname;
const SOURCES = ['go.mod', 'go.sum', 'main.go'] as const;
const GO = 'go1.26.8';
const FLAGS = [
  '-buildmode=c-shared',
  '-trimpath',
  '-mod=readonly',
  '-buildvcs=false',
  '-ldflags=-s -w -buildid=',
];
const ENVIRONMENT = {
  GOOS: 'wasip1',
  GOARCH: 'wasm',
  CGO_ENABLED: '0',
  GOFLAGS: '',
  GOWASM: '',
  GOEXPERIMENT: 'jsonv2',
  GOWORK: 'off',
  GOTOOLCHAIN: GO,
};
const RELEASE = join(FOLDER, 'podcheck.json');
const MODULE = join(FOLDER, 'podcheck.wasm.gz');
const COMPARED = join(cacheFolder(process.env), 'podcheck-compared');

function build(): Buffer {
  const output = mkdtempSync(join(tmpdir(), 'podcheck-'));
  try {
    const file = join(output, 'podcheck.wasm');
    execFileSync('go', ['build', ...FLAGS, '-o', file, '.'], {
      cwd: FOLDER,
      stdio: 'inherit',
      env: { ...process.env, ...ENVIRONMENT },
    });
    return readFileSync(file);
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

function releaseOf(wasm: Buffer): PodcheckRelease {
  const requirements = readFileSync(join(FOLDER, 'go.mod'), 'utf8');
  const kubernetes = /^\s*k8s\.io\/kubernetes v(\S+)$/mu.exec(requirements)?.[1];
  if (kubernetes === undefined) throw new Error('webhooks/podcheck/go.mod: requires no k8s.io/kubernetes');
  const sources = SOURCES.map((name) => [name, sha256(readFileSync(join(FOLDER, name)))] as const);
  return { kubernetes, go: GO, sources: Object.fromEntries(sources), wasm: sha256(wasm) };
}

function textOf(release: PodcheckRelease): string {
  return `${JSON.stringify(release, undefined, 2)}\n`;
}

function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** @returns what is wrong with what is committed, or undefined */
function check(): string | undefined {
  const committed = readFileSync(RELEASE, 'utf8');
  if (textOf(releaseOf(gunzipSync(readFileSync(MODULE)))) !== committed) {
    return 'podcheck.json does not describe the sources and the module beside it';
  }
  const comparison = sha256(JSON.stringify([committed, FLAGS, ENVIRONMENT]));
  if (existsSync(COMPARED) && readFileSync(COMPARED, 'utf8') === comparison) return undefined;
  if (textOf(releaseOf(build())) !== committed) return 'the committed module is not what its sources build';
  mkdirSync(dirname(COMPARED), { recursive: true });
  writeFileSync(COMPARED, comparison);
  return undefined;
}

if (process.argv.includes('--check')) {
  const problem = check();
  if (problem !== undefined) {
    process.stderr.write(`webhooks/podcheck: ${problem}: run npm run build:podcheck\n`);
    process.exitCode = 1;
  }
} else {
  const wasm = build();
  writeFileSync(MODULE, gzipSync(wasm, { level: 9 }));
  writeFileSync(RELEASE, textOf(releaseOf(wasm)));
}
