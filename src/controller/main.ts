import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { CONTROLLER_NAME, CORRELATION_ANNOTATION } from '../api/names.ts';
import { correlationId } from '../core/correlation.ts';
import { DEFAULT_SETTINGS, type PlanSettings } from '../core/plan/observed.ts';
import { policyFromDocument } from '../core/policy/from-document.ts';
import { DEFAULT_POLICY, type Policy } from '../core/policy/policy.ts';
import { accessByFlags } from '../kube/access.ts';
import { KubeClient } from '../kube/client.ts';
import { EventRecorder } from '../kube/event-recorder.ts';
import { NamespaceCache } from '../kube/namespace-cache.ts';
import { RateLimiter } from '../kube/rate-limiter.ts';
import { systemClock } from '../platform/clock.ts';
import { ConfigurationFile } from '../platform/configuration-file.ts';
import { everyAddress } from '../platform/every-address.ts';
import { FlagError, logLevel, wholeNumber } from '../platform/flags.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import { parseFlags } from '../platform/parse-flags.ts';
import { ProbeServer, type ReadinessCheck } from '../platform/probes.ts';
import { terminationSignal } from '../platform/signals.ts';
import { VERSION } from '../platform/version.ts';
import { ConnectMirror } from './connect-mirror.ts';
import { Controller } from './controller.ts';
import { ControllerMetrics } from './metrics.ts';
import {
  WEBHOOK_AUTHORITY_FLAGS,
  WEBHOOK_AUTHORITY_USAGE,
  webhookAuthorityByFlags,
  type WebhookAuthorityFlags,
} from './webhook-authority-flags.ts';
import { keepWebhookAuthority } from './webhook-authority.ts';

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  kubeconfig: { type: 'string' },
  'service-account-dir': { type: 'string' },
  namespace: { type: 'string' },
  config: { type: 'string' },
  ...WEBHOOK_AUTHORITY_FLAGS,
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
  --config FILE               rules, identities and limits; read again when it changes (default: the defaults of each)
${WEBHOOK_AUTHORITY_USAGE}
  --instance NAME             value of the label gateway.dask.org/instance on what it creates (default: daskwarden)
  --parallelism N             how many clusters are worked on at a time (default: 20)
  --api-rate N                at most so many calls to the API server per second, 0 for no limit (default: 200)
  --api-burst N               at most so many calls at once (default: 400)
  --probe-host, --probe-port  where /livez, /readyz and /metrics are served (default: every address, 8081;
                              0 for any free port)
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
  const configuration = values.config === undefined ? undefined : await loadConfiguration(values.config, log);
  const authority = webhookAuthorityByFlags(values);
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
    await run({ client, namespace, settings, configuration, authority, parallelism, probe, log, signal });
  } finally {
    await client.close();
  }
  return 0;
}

/** @throws ConfigurationError with every problem of the file */
function loadConfiguration(path: string, log: Logger): Promise<ConfigurationFile<Policy>> {
  return ConfigurationFile.load({ path, parse: policyFromDocument, clock: systemClock, log });
}

interface Work {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly settings: PlanSettings;
  /** Absent where the defaults are in force. */
  readonly configuration: ConfigurationFile<Policy> | undefined;
  /** Absent where somebody else keeps the webhooks' authority. */
  readonly authority: WebhookAuthorityFlags | undefined;
  readonly parallelism: number;
  readonly probe: { readonly host: string; readonly port: number };
  readonly log: Logger;
  readonly signal: AbortSignal;
}

async function run(work: Work): Promise<void> {
  const { client, namespace, settings, configuration, authority, parallelism, probe, log, signal } = work;
  const events = eventRecorder(client, log);
  const metrics = new ControllerMetrics();
  configuration?.onReload((result) => {
    metrics.countReload(result);
  });
  const watched = { client, clock: systemClock, random: Math.random, log };
  const namespaces = new NamespaceCache(watched);
  const controller = new Controller({
    client,
    events,
    settings,
    policy: () => configuration?.current() ?? DEFAULT_POLICY,
    namespaceOf: (name) => namespaces.get(name),
    parallelism,
    clock: systemClock,
    random: Math.random,
    randomBytes,
    metrics,
    log,
  });
  const revise = (): void => {
    controller.reviseAll();
  };
  configuration?.onChange(revise);
  namespaces.onChange(revise);
  const connections = new ConnectMirror({ ...watched, clusters: controller.clusters });
  const probes = new ProbeServer({ ...probe, checks: [cacheCheck(controller, log)], metrics });
  const port = await probes.listen();
  log.info(
    { version: VERSION, probePort: port, instance: settings.installation.instance },
    'controller started',
  );
  try {
    await Promise.all([
      namespaces.run(signal),
      // Owners and enforcement may be told by namespaces: nothing is decided before they are known.
      namespaces.synced.then(
        () => controller.run(signal),
        () => undefined,
      ),
      connections.run(signal),
      events.run(signal),
      configuration?.run(signal),
      authority &&
        keepWebhookAuthority(
          { client, namespace, clock: systemClock, randomBytes, log, ...authority },
          signal,
        ),
    ]);
  } finally {
    await probes.close();
  }
}

/** Events carry the correlation of the admission that they follow from. */
function eventRecorder(client: KubeClient, log: Logger): EventRecorder {
  const reporter = { controller: CONTROLLER_NAME, instance: hostname() };
  const annotate = (object: unknown): Readonly<Record<string, string>> | undefined => {
    const correlation = correlationId(object);
    return correlation === undefined ? undefined : { [CORRELATION_ANNOTATION]: correlation };
  };
  return new EventRecorder({ client, reporter, clock: systemClock, log, annotate });
}

function cacheCheck(controller: Controller, log: Logger): ReadinessCheck {
  let synced = false;
  void controller.synced.then(
    () => {
      synced = true;
      log.info({}, 'caches are filled');
    },
    () => undefined,
  );
  return { name: 'caches', problem: () => (synced ? undefined : 'they are not filled yet') };
}
