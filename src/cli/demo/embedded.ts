import { once } from 'node:events';
import { startControlPlane, type ControlPlane } from '../../control-plane/control-plane.ts';
import { ensureBinaries } from '../../control-plane/ensure-binaries.ts';
import { Watchdog } from '../../control-plane/watchdog.ts';
import { installCrd, Product } from './product.ts';
import { STEPS } from './steps.ts';
import { Tour } from './tour.ts';

export interface TourRun {
  /** The program of the command `daskwarden`. */
  readonly program: string;
  readonly keep: boolean;
  readonly write: (line: string) => void;
  readonly colour: boolean;
  readonly signal: AbortSignal;
  readonly env: NodeJS.ProcessEnv;
}

export const PRODUCT_NAMESPACE = 'daskwarden-system';
const STEP_TIMEOUT_MS = 20_000;

/** The tour on a control plane that is started for it and ended with it. @returns the exit code */
export async function tourOfEmbedded(run: TourRun): Promise<number> {
  const { write, signal, env } = run;
  const binaries = await ensureBinaries({ report: write, signal, env });
  write(
    '\nStarting a Kubernetes control plane on this machine; kwok simulates its node, so no image is pulled',
  );
  await using plane = await startControlPlane({
    binaries,
    report: (line) => {
      write(`  ${line}`);
    },
    signal,
    env,
  });
  const watchdog = await Watchdog.start();
  try {
    return await onPlane(run, plane, watchdog);
  } finally {
    await watchdog.stop();
  }
}

async function onPlane(run: TourRun, plane: ControlPlane, watchdog: Watchdog): Promise<number> {
  const { write, signal, colour, program } = run;
  write(
    '\nInstalling daskwarden: the CRD, two service accounts with their rights, the webhooks, and starting its two processes',
  );
  const kubectl: ControlPlane['kubectl'] = (args, options = {}) =>
    plane.kubectl(args, { ...options, signal });
  await installCrd({ kubectl });
  // The garbage collector looks for new kinds every 30 s; after a restart it knows this one, as in any older cluster.
  const collecting = plane.restart('kube-controller-manager', signal);
  const starting = Product.start({
    kubectl,
    server: plane.server,
    caPem: plane.caPem,
    directory: plane.directory,
    watchdog,
    namespace: PRODUCT_NAMESPACE,
    webhookHost: 'localhost',
    program,
    flags: { webhook: ['--drain-seconds=0'] },
  });
  const [product] = await Promise.all([starting, collecting]);
  try {
    write('  webhook and controller are ready');
    const tour = new Tour({ kubectl, namespace: 'default', write, colour, timeoutMs: STEP_TIMEOUT_MS });
    const good = await tour.walk(STEPS, signal);
    write(`\n${verdict(good)}`);
    if (run.keep) await stay(plane, run);
    return good === STEPS.length ? 0 : 1;
  } finally {
    await product.stop();
  }
}

export function verdict(good: number): string {
  const all = String(STEPS.length);
  if (good === STEPS.length) return `all ${all} steps as expected`;
  return `step ${String(good + 1)} of ${all} was not as expected: ${STEPS[good]?.title ?? ''}`;
}

async function stay(plane: ControlPlane, { write, signal }: TourRun): Promise<void> {
  write('\nIt stays up until Ctrl-C. In another terminal:');
  write(
    `  export KUBECONFIG=${plane.kubeconfigPath} PATH=${plane.binaries.kubectl.replace(/\/kubectl$/, '')}:$PATH`,
  );
  if (!signal.aborted) await once(signal, 'abort');
}
