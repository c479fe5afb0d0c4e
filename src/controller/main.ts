import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { CONTROLLER_NAME } from '../api/names.ts';
import { DEFAULT_SETTINGS, type PlanSettings } from '../core/plan/observed.ts';
import { accessByFlags } from '../kube/access.ts';
import { KubeClient } from '../kube/client.ts';
import { EventRecorder } from '../kube/event-recorder.ts';
import { RateLimiter } from '../kube/rate-limiter.ts';
import { systemClock } from '../platform/clock.ts';
import { everyAddress } from '../platform/every-address.ts';
import { FlagError, logLevel, wholeNumber } from '../platform/flags.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import { parseFlags } from '../platform/parse-flags.ts';
import { ProbeServer } from '../platform/probes.ts';
import { terminationSignal } from '../platform/signals.ts';
import { VERSION } from '../platform/version.ts';
import { Controller } from './controller.ts';
import { keepWebhookAuthority } from './webhook-authority.ts';

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  kubeconfig: { type: 'string' },
  'service-account-dir': { type: 'string' },
  namespace: { type: 'string' },
  instance: { type: 'string', default: DEFAULT_SETTINGS.installation.instance },
  parallelism: { type: 'string', default: '20' },
  'api-rate': { type: 'string', default: '200' },
  'api-burst': { type: 'string', default: '400' },
  'probe-host': { type: 'string', default: everyAddress() },
  'probe-port': { type: 'string', default: '8081' },
  'log-level': { type: 'string', default: 'info' },
} as const;

const USAGE = `usage: daskwarden controller [options]

Creates and maintains the scheduler, workers, Service and credentials of every DaskCluster in the template form, and
the certificate authority of the webhooks. Run one at a time: there is no leader election yet.

  --kubeconfig FILE           how to reach the API server from outside of a pod
  --service-account-dir DIR   where token, ca.crt and namespace are mounted, if not at the usual place
  --namespace NAME            the namespace that daskwarden is installed in, where it keeps the webhooks' certificate
                              authority (default: the pod's or the kubeconfig's)
  --instance NAME             value of the label gateway.dask.org/instance on what it creates (default: daskwarden)
  --parallelism N             how many clusters are worked on at a time (default: 20)
  --api-rate N                at most so many calls to the API server per second, 0 for no limit (default: 200)
  --api-burst N               at most so many calls at once (default: 400)
  --probe-host, --probe-port  where /livez and /readyz are served (default: every address, 8081; 0 for any free port)
  --log-level LEVEL           debug, info, warn or error (default: info)`;

/** @returns the exit code, once a signal has ended the work */
export async function runController(args: readonly string[]): Promise<number> {
  const values = parseFlags(args, OPTIONS);
  if (values.help === true) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const log = createLogger({ name: 'controller', level: logLevel('--log-level', values['log-level']) });
  const signal = terminationSignal((name) => {
    log.info({ signal: name }, 'ending what is under way');
  });
  const access = await accessByFlags(values, process.env);
  const namespace = values.namespace ?? access.namespace;
  if (namespace === undefined)
    throw new FlagError('--namespace: must be given where neither pod nor kubeconfig names one');
  const limiter = new RateLimiter({
    ratePerSecond: wholeNumber('--api-rate', values['api-rate']),
    burst: wholeNumber('--api-burst', values['api-burst']),
    clock: systemClock,
  });
  const client = new KubeClient({ access, version: VERSION, limiter });
  try {
    const probe = { host: values['probe-host'], port: wholeNumber('--probe-port', values['probe-port']) };
    const parallelism = wholeNumber('--parallelism', values.parallelism);
    const settings = { ...DEFAULT_SETTINGS, installation: { instance: values.instance } };
    await run({ client, namespace, settings, parallelism, probe, log, signal });
  } finally {
    await client.close();
  }
  return 0;
}

interface Work {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly settings: PlanSettings;
  readonly parallelism: number;
  readonly probe: { readonly host: string; readonly port: number };
  readonly log: Logger;
  readonly signal: AbortSignal;
}

async function run({ client, namespace, settings, parallelism, probe, log, signal }: Work): Promise<void> {
  const reporter = { controller: CONTROLLER_NAME, instance: hostname() };
  const events = new EventRecorder({ client, reporter, clock: systemClock, log });
  const controller = new Controller({
    client,
    events,
    settings,
    parallelism,
    clock: systemClock,
    random: Math.random,
    randomBytes,
    log,
  });
  let synced = false;
  const probes = new ProbeServer({
    ...probe,
    notReady: () => (synced ? undefined : 'the caches are not filled yet'),
  });
  const port = await probes.listen();
  log.info(
    { version: VERSION, probePort: port, instance: settings.installation.instance },
    'controller started',
  );
  void controller.synced.then(
    () => {
      synced = true;
      log.info({}, 'caches are filled');
    },
    () => undefined,
  );
  try {
    await Promise.all([
      controller.run(signal),
      events.run(signal),
      keepWebhookAuthority({ client, namespace, clock: systemClock, randomBytes, log }, signal),
    ]);
  } finally {
    await probes.close();
  }
}
