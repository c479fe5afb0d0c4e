import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cacheFolder, removeCache } from '../../control-plane/cache.ts';
import { ControlPlaneError } from '../../control-plane/errors.ts';
import { AccessError } from '../../kube/config.ts';
import { terminationSignal } from '../../platform/signals.ts';
import { UsageError } from '../usage-error.ts';
import { tourOfEmbedded } from './embedded.ts';
import { tourOfExisting } from './existing.ts';
import { Refused } from './refused.ts';

const USAGE = `usage: npm run demo [-- options]

Takes a guided tour of daskwarden. It starts a Kubernetes control plane for it on this machine (real API server,
simulated pods; needs Go the first time, to build it) and removes it afterwards, or uses a cluster that you name.

  --keep               leave the control plane running after the tour, until Ctrl-C, and print how to reach it
                       (not with --kubeconfig)
  --kubeconfig FILE    take the tour on this cluster instead; everything that it creates there is removed at the end
  --webhook-host HOST  with --kubeconfig: the name by which that cluster's API server reaches this machine (default:
                       localhost, host.docker.internal, host.minikube.internal and host.k3d.internal are tried)
  --yes                with --kubeconfig: do not ask before writing to the cluster
  --clean              remove the cached executables, and do nothing else

exit codes: 0 all steps went as expected, 1 one did not, 2 wrong usage or something is missing`;

const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../main.ts' : '../main.js', import.meta.url),
);

/** @returns the exit code that the usage text documents */
export async function demo(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', short: 'h' },
      keep: { type: 'boolean', default: false },
      kubeconfig: { type: 'string' },
      'webhook-host': { type: 'string' },
      yes: { type: 'boolean', default: false },
      clean: { type: 'boolean', default: false },
    },
  });
  const write = (line: string): void => void process.stdout.write(`${line}\n`);
  if (values.help === true) {
    write(USAGE);
    return 0;
  }
  if (values.clean) {
    await removeCache(process.env);
    write(`removed what daskwarden had cached in ${cacheFolder(process.env)}`);
    return 0;
  }
  if (values.kubeconfig !== undefined && values.keep) {
    throw new UsageError("--keep goes with a control plane of the tour's own, not with --kubeconfig", USAGE);
  }
  if (values.kubeconfig === undefined && values['webhook-host'] !== undefined) {
    throw new UsageError('--webhook-host goes with --kubeconfig', USAGE);
  }
  const signal = terminationSignal((name) => {
    write(`\n${name}: cleaning up`);
  });
  const colour = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  const common = { program: PROGRAM, keep: values.keep, write, colour, signal, env: process.env };
  try {
    if (values.kubeconfig === undefined) return await tourOfEmbedded(common);
    return await tourOfExisting({
      ...common,
      kubeconfig: values.kubeconfig,
      webhookHost: values['webhook-host'],
      confirmed: values.yes,
    });
  } catch (error) {
    if (signal.aborted) return 130;
    if (!(error instanceof ControlPlaneError || error instanceof AccessError || error instanceof Refused))
      throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
}
