import { readFileSync } from 'node:fs';
import { packagePath } from '../../src/platform/package-root.ts';

/** What the committed module was built from. */
export interface PodcheckRelease {
  /** The Kubernetes release whose validation it is: `1.36.3`. */
  readonly kubernetes: string;
  /** The toolchain that the bytes depend on: `go1.26.8`. */
  readonly go: string;
  /** SHA-256 of the sources, by file. */
  readonly sources: Readonly<Record<string, string>>;
  /** SHA-256 of the module, uncompressed. */
  readonly wasm: string;
}

let release: PodcheckRelease | undefined;

/** Small, and the same as long as the program is: read once, by who asks first. */
export function podcheckRelease(): PodcheckRelease {
  release ??= JSON.parse(
    readFileSync(packagePath('webhooks', 'podcheck', 'podcheck.json'), 'utf8'),
  ) as PodcheckRelease;
  return release;
}
