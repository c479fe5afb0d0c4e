import type { TestProject } from 'vitest/node';
import { ensureBinaries } from '../../src/control-plane/ensure-binaries.ts';
import { startControlPlane } from '../../src/control-plane/control-plane.ts';

declare module 'vitest' {
  // What `inject(name)` gives in a cluster test.
  interface ProvidedContext {
    /** Kubeconfig of an administrator (`system:masters`), all data embedded. */
    kubeconfigPath: string;
    /** URL of the API server, on the loopback address. */
    server: string;
    caPem: string;
    kubectlPath: string;
  }
}

/** One control plane for all files of a run; returns what vitest calls at the end of the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const report = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  const { signal } = new AbortController();
  const binaries = await ensureBinaries({ report, signal, env: process.env });
  const plane = await startControlPlane({ binaries, report, signal });
  project.provide('kubeconfigPath', plane.kubeconfigPath);
  project.provide('server', plane.server);
  project.provide('caPem', plane.caPem);
  project.provide('kubectlPath', binaries.kubectl);
  return () => plane.stop();
}
