import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { installCrd, Product } from '../../src/cli/demo/product.ts';
import { startControlPlane } from '../../src/control-plane/control-plane.ts';
import { ensureBinaries } from '../../src/control-plane/ensure-binaries.ts';
import { Watchdog } from '../../src/control-plane/watchdog.ts';

declare module 'vitest' {
  // What `inject(name)` gives in a cluster test.
  interface ProvidedContext {
    /** Kubeconfig of an administrator (`system:masters`), all data embedded. */
    kubeconfigPath: string;
    /** URL of the API server, on the loopback address. */
    server: string;
    caPem: string;
    kubectlPath: string;
    /** Of the product's own objects. */
    productNamespace: string;
    /** Of the product's processes. */
    webhookPid: number;
    controllerPid: number;
    /** Where the processes write their logs. */
    webhookLogPath: string;
    controllerLogPath: string;
  }
}

export const PROGRAM = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const NAMESPACE = 'daskwarden-system';

/**
 * One control plane for all files of a run, with the product installed and running as it does in production; returns
 * what vitest calls at the end of the run.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const report = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  const { signal } = new AbortController();
  const binaries = await ensureBinaries({ report, signal, env: process.env });
  const plane = await startControlPlane({ binaries, report, signal });
  const watchdog = await Watchdog.start();
  let product: Product | undefined;
  const teardown = async (): Promise<void> => {
    await product?.stop();
    await plane.stop();
    await watchdog.stop();
  };
  try {
    const kubectl: typeof plane.kubectl = (args, options) => plane.kubectl(args, options);
    await installCrd({ kubectl });
    // The garbage collector looks for new kinds every 30 s; after a restart it knows this one.
    await plane.restart('kube-controller-manager', signal);
    product = await Product.start({
      kubectl,
      server: plane.server,
      caPem: plane.caPem,
      directory: plane.directory,
      watchdog,
      namespace: NAMESPACE,
      webhookHost: 'localhost',
      program: PROGRAM,
      flags: { webhook: ['--drain-seconds=0', '--log-level=debug'], controller: ['--log-level=debug'] },
    });
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide('kubeconfigPath', plane.kubeconfigPath);
  project.provide('server', plane.server);
  project.provide('caPem', plane.caPem);
  project.provide('kubectlPath', binaries.kubectl);
  project.provide('productNamespace', NAMESPACE);
  project.provide('webhookPid', product.processes.webhook.process.pid);
  project.provide('controllerPid', product.processes.controller.process.pid);
  project.provide('webhookLogPath', join(plane.directory, 'webhook.log'));
  project.provide('controllerLogPath', join(plane.directory, 'controller.log'));
  return teardown;
}
