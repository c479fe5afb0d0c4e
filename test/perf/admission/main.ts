import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Product } from '../../../src/cli/demo/product.ts';
import { startControlPlane } from '../../../src/control-plane/control-plane.ts';
import { ensureBinaries } from '../../../src/control-plane/ensure-binaries.ts';
import { Watchdog } from '../../../src/control-plane/watchdog.ts';
import { PATHS } from '../../../webhooks/routes.ts';
import { KubeClient } from '../../../src/kube/client.ts';
import { kubeconfigAccess } from '../../../src/kube/kubeconfig.ts';
import { emitProduct } from '../../support/emitted-product.ts';
import { oracleBinary } from '../../support/oracle.ts';
import { compareDirectly, type Ratio } from './direct.ts';
import { memoryOf } from './memory.ts';
import { BENCH_NAMESPACE } from './reviews.ts';
import { startBaseline, type Baseline } from './servers.ts';
import { BASELINE_SERVICE, settingsOf } from './settings.ts';
import { compareThroughApiServer, createClusters } from './through-api-server.ts';
import { pin } from './wrk.ts';

/**
 * The webhook against the same judgement as a plain Go webhook, each on the first processor, with the load from the
 * second one:
 *
 *     npm run bench:admission [-- --rounds N --seconds N]
 */
const NAMESPACE = 'daskwarden-system';

function numberOption(name: string, fallback: number): number {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
}

async function main(): Promise<number> {
  if (availableParallelism() < 2)
    throw new Error('the benchmark needs two processors: one serves, one loads');
  const rounds = numberOption('rounds', 5);
  const seconds = numberOption('seconds', 5);
  console.log(
    `${String(cpus().length)} processors, ${cpus()[0]?.model ?? 'of unknown kind'}; node ${process.version}; ` +
      `${String(rounds)} rounds of ${String(seconds)} s; medians, with the least and the most`,
  );
  const report = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  const { signal } = new AbortController();
  const folder = await mkdtemp(join(tmpdir(), 'daskwarden-bench-'));
  const binaries = await ensureBinaries({ report, signal, env: process.env });
  const oracle = await oracleBinary({ report });
  const program = emitProduct(folder);
  await using plane = await startControlPlane({ binaries, report, signal, scheduler: false, kwok: false });
  const watchdog = await Watchdog.start();
  const client = new KubeClient({
    access: await kubeconfigAccess({ path: plane.kubeconfigPath }),
    version: 'bench',
  });
  let product: Product | undefined;
  let baseline: Baseline | undefined;
  try {
    const kubectl: typeof plane.kubectl = (args, options) => plane.kubectl(args, options);
    product = await Product.start({
      kubectl,
      server: plane.server,
      caPem: plane.caPem,
      directory: plane.directory,
      watchdog,
      namespace: NAMESPACE,
      webhookHost: 'localhost',
      program,
    });
    await kubectl(['create', 'namespace', BENCH_NAMESPACE]);
    // Alone it is measured: what the controller would do with a thousand clusters is another benchmark.
    await product.processes.controller.stop();
    baseline = await startBaseline(oracle, folder, `${BASELINE_SERVICE}.${NAMESPACE}.svc`);
    const { pid } = product.processes.webhook.process;
    await Promise.all([pin(pid), pin(baseline.pid)]);
    // They are in the webhook's cache from here on.
    await createClusters(client);
    const direct = await compareDirectly(
      {
        ours: {
          pid,
          port: product.webhookPort,
          mutatePath: PATHS.mutateClusters,
          validatePath: PATHS.validateClusters,
        },
        baseline: {
          pid: baseline.pid,
          port: baseline.port,
          mutatePath: '/mutate',
          validatePath: '/validate',
        },
      },
      { rounds, seconds, folder },
    );
    const memory = await memoryOf(pid);
    const through = await compareThroughApiServer(
      await settingsOf({ kubectl }, { namespace: NAMESPACE, baseline }),
      { client, rounds },
    );
    return verdictOf([...direct, memory, ...through]);
  } finally {
    await client.close();
    await baseline?.stop();
    await product?.stop();
    await watchdog.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Prints the ratios as the last line. @returns 1 where one is missed */
function verdictOf(ratios: readonly Ratio[]): number {
  const missed = ratios.filter(({ value, bound }) =>
    'atLeast' in bound ? value < bound.atLeast : value > bound.atMost,
  );
  console.log('');
  for (const { name, value, bound } of missed) {
    const wanted = 'atLeast' in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`;
    console.log(`missed: ${name} is ${value.toFixed(2)}, wanted ${wanted}`);
  }
  console.log(ratios.map(({ name, value }) => `${name}: ${value.toFixed(2)}`).join('; '));
  return missed.length === 0 ? 0 : 1;
}

process.exitCode = await main();
