import type { TestProject } from 'vitest/node';
import { startControlPlane } from '../../src/control-plane/control-plane.ts';
import { ensureBinaries } from '../../src/control-plane/ensure-binaries.ts';

/** A control plane without the product: somebody's cluster. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const report = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  const { signal } = new AbortController();
  const binaries = await ensureBinaries({ report, signal, env: process.env });
  const plane = await startControlPlane({ binaries, report, signal });
  project.provide('kubeconfigPath', plane.kubeconfigPath);
  project.provide('kubectlPath', binaries.kubectl);
  return () => plane.stop();
}
