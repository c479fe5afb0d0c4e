import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { locate } from '../../control-plane/locate.ts';
import { runKubectl, type KubectlResult } from '../../control-plane/kubectl.ts';
import { withoutProxyForLoopback } from '../../control-plane/child-environment.ts';
import { Watchdog } from '../../control-plane/watchdog.ts';
import { kubeconfigAccess } from '../../kube/kubeconfig.ts';
import { PRODUCT_NAMESPACE, verdict, type TourRun } from './embedded.ts';
import { Product, uninstall } from './product.ts';
import { Refused } from './refused.ts';
import { STEPS } from './steps.ts';
import { Tour } from './tour.ts';

export interface ExistingRun extends TourRun {
  readonly kubeconfig: string;
  readonly webhookHost: string | undefined;
  readonly confirmed: boolean;
}

const TOUR_NAMESPACE = 'daskwarden-demo';
const CRD = 'daskclusters.gateway.dask.org';
/** Images are pulled for real here. */
const STEP_TIMEOUT_MS = 180_000;
/** Names by which an API server in a container or a virtual machine may reach its host. */
const HOSTS = ['localhost', 'host.docker.internal', 'host.minikube.internal', 'host.k3d.internal'];

type Kubectl = (args: readonly string[], options?: { readonly input?: string }) => Promise<KubectlResult>;

/** The tour on somebody's cluster: in namespaces of its own, after asking, and removed to the last object. */
export async function tourOfExisting(run: ExistingRun): Promise<number> {
  const kubectl = await kubectlOf(run);
  const access = await kubeconfigAccess({ path: run.kubeconfig, env: run.env });
  const { caPem } = await access.credentials();
  if (caPem === undefined)
    throw new Refused(
      `${run.kubeconfig}: the cluster names no certificate authority, and the tour needs one`,
    );
  await refuseIfTaken(kubectl);
  await askFirst(run, access.server);
  const directory = await mkdtemp(join(tmpdir(), 'daskwarden-'));
  const watchdog = await Watchdog.start();
  watchdog.guardFolder(directory);
  try {
    const product = await startReachable(run, { kubectl, server: access.server, caPem, directory, watchdog });
    try {
      return await walk(run, kubectl);
    } finally {
      await product.stop();
    }
  } finally {
    run.write('\nRemoving what the tour created');
    await uninstall(kubectl, [PRODUCT_NAMESPACE, TOUR_NAMESPACE]);
    await watchdog.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function kubectlOf({ env, kubeconfig }: ExistingRun): Promise<Kubectl> {
  const { found } = await locate('kubectl', env);
  if (found === undefined) {
    throw new Refused('kubectl is missing: install it, or set KUBEBUILDER_ASSETS to a folder that holds it');
  }
  await readFile(kubeconfig).catch((error: unknown) => {
    throw new Refused(`--kubeconfig ${kubeconfig} cannot be read: ${(error as Error).message}`);
  });
  const childEnv = { ...env, ...withoutProxyForLoopback(env) };
  return (args, options = {}) =>
    runKubectl(args, { ...options, file: found.path, kubeconfig, env: childEnv });
}

async function refuseIfTaken(kubectl: Kubectl): Promise<void> {
  const { code, stderr } = await kubectl(['get', '--raw', '/readyz', '--request-timeout=10s']);
  if (code !== 0) throw new Refused(`the cluster does not answer: ${stderr.trim()}`);
  const taken = await kubectl([
    'get',
    `crd/${CRD}`,
    `namespace/${PRODUCT_NAMESPACE}`,
    `namespace/${TOUR_NAMESPACE}`,
    '--ignore-not-found',
    '-o',
    'name',
  ]);
  if (taken.code !== 0) throw new Refused(`the cluster cannot be looked at: ${taken.stderr.trim()}`);
  const names = taken.stdout.split('\n').filter((name) => name !== '');
  if (names.length === 0) return;
  throw new Refused(
    `${names.join(', ')} is already there: the tour changes nothing on a cluster that is in use; take it without --kubeconfig`,
  );
}

async function askFirst({ confirmed, write, signal }: ExistingRun, server: string): Promise<void> {
  write(`The tour will create on ${server}:`);
  write(`  the CRD ${CRD}, the namespaces ${PRODUCT_NAMESPACE} and ${TOUR_NAMESPACE},`);
  write('  a ClusterRole with its binding, and two webhook configurations named daskwarden.');
  write('It runs webhook and controller on this machine, and removes all of this at the end.');
  if (confirmed) return;
  if (!process.stdin.isTTY) throw new Refused('there is no terminal to ask on: pass --yes to agree');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question('Continue? [y/N] ', { signal });
    if (!/^y(es)?$/i.test(answer.trim())) throw new Refused('nothing was changed');
  } finally {
    terminal.close();
  }
}

interface Place {
  readonly kubectl: Kubectl;
  readonly server: string;
  readonly caPem: string;
  readonly directory: string;
  readonly watchdog: Watchdog;
}

/** Installs the product and finds the name by which the API server reaches its webhook: no manifest can tell. */
async function startReachable(run: ExistingRun, place: Place): Promise<Product> {
  const hosts = run.webhookHost === undefined ? HOSTS : [run.webhookHost];
  const [first = 'localhost', ...others] = hosts;
  const product = await Product.start({
    ...place,
    namespace: PRODUCT_NAMESPACE,
    webhookHost: first,
    program: run.program,
    flags: { webhook: ['--drain-seconds=0'] },
  });
  for (const host of [first, ...others]) {
    if (host !== first) await product.register(host);
    if (await product.isReached()) {
      run.write(`  the API server reaches the webhook at ${host}`);
      return product;
    }
  }
  await product.stop();
  throw new Refused(
    `the API server reaches this machine by none of ${hosts.join(', ')}: name the right one with --webhook-host`,
  );
}

async function walk(run: ExistingRun, kubectl: Kubectl): Promise<number> {
  const { write, colour, signal } = run;
  await kubectl(['create', 'namespace', TOUR_NAMESPACE]);
  const tour = new Tour({ kubectl, namespace: TOUR_NAMESPACE, write, colour, timeoutMs: STEP_TIMEOUT_MS });
  const good = await tour.walk(STEPS, signal);
  write(`\n${verdict(good)}`);
  return good === STEPS.length ? 0 : 1;
}
