import { randomBytes } from 'node:crypto';
import { WEBHOOK_AUTHORITY_SECRET } from '../src/api/names.ts';
import { accessByFlags } from '../src/kube/access.ts';
import { KubeClient } from '../src/kube/client.ts';
import { serviceDnsNames } from '../src/pki/service-dns-names.ts';
import { systemClock } from '../src/platform/clock.ts';
import { everyAddress } from '../src/platform/every-address.ts';
import { FlagError, logLevel, wholeNumber } from '../src/platform/flags.ts';
import { createLogger, type Logger } from '../src/platform/logger.ts';
import { parseFlags } from '../src/platform/parse-flags.ts';
import { ProbeServer } from '../src/platform/probes.ts';
import { terminationSignal } from '../src/platform/signals.ts';
import { VERSION } from '../src/platform/version.ts';
import { LeafKeeper } from './certificate.ts';
import { admissionHandlers } from './routes.ts';
import { dialOurselves } from './self-dial.ts';
import { AdmissionServer } from './server.ts';

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  kubeconfig: { type: 'string' },
  'service-account-dir': { type: 'string' },
  namespace: { type: 'string' },
  'service-name': { type: 'string', default: 'daskwarden-webhook' },
  'pod-creator': { type: 'string', multiple: true, default: [] as string[] },
  host: { type: 'string' },
  port: { type: 'string', default: '9443' },
  'probe-host': { type: 'string' },
  'probe-port': { type: 'string', default: '8081' },
  'drain-seconds': { type: 'string', default: '5' },
  'log-level': { type: 'string', default: 'info' },
} as const;

const USAGE = `usage: daskwarden webhook [options]

Serves the admission webhooks over HTTPS, with a certificate of the authority that the controller keeps.

  --kubeconfig FILE           how to reach the API server from outside of a pod
  --service-account-dir DIR   where token, ca.crt and namespace are mounted, if not at the usual place
  --namespace NAME            the namespace that daskwarden is installed in (default: the pod's or the kubeconfig's)
  --service-name NAME         the Service by which the API server reaches this process (default: daskwarden-webhook)
  --pod-creator USER          who may create the schedulers and workers of clusters; may be repeated
                              (default: the service account daskwarden-controller of daskwarden's namespace)
  --host, --port              where reviews are served (default: every address, 9443; 0 for any free port)
  --probe-host, --probe-port  where /livez and /readyz are served (default: every address, 8081; 0 for any free port)
  --drain-seconds N           how long to go on serving after SIGTERM (default: 5)
  --log-level LEVEL           debug, info, warn or error (default: info)`;

/** @returns the exit code, once a signal has ended the service and the last answer is out */
export async function runWebhook(args: readonly string[]): Promise<number> {
  const values = parseFlags(args, OPTIONS);
  if (values.help === true) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const log = createLogger({ name: 'webhook', level: logLevel('--log-level', values['log-level']) });
  const signal = terminationSignal((name) => {
    log.info({ signal: name }, 'draining');
  });
  const access = await accessByFlags(values, process.env);
  const namespace = values.namespace ?? access.namespace;
  if (namespace === undefined)
    throw new FlagError('--namespace: must be given where neither pod nor kubeconfig names one');
  const creators = values['pod-creator'];
  const client = new KubeClient({ access, version: VERSION });
  try {
    await serve({
      client,
      namespace,
      serviceName: values['service-name'],
      podCreators:
        creators.length > 0 ? creators : [`system:serviceaccount:${namespace}:daskwarden-controller`],
      address: { host: values.host ?? everyAddress(), port: wholeNumber('--port', values.port) },
      probe: {
        host: values['probe-host'] ?? everyAddress(),
        port: wholeNumber('--probe-port', values['probe-port']),
      },
      drainMs: wholeNumber('--drain-seconds', values['drain-seconds']) * 1000,
      log,
      signal,
    });
  } finally {
    await client.close();
  }
  return 0;
}

interface Service {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly serviceName: string;
  readonly podCreators: readonly string[];
  readonly address: { readonly host: string; readonly port: number };
  readonly probe: { readonly host: string; readonly port: number };
  readonly drainMs: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

async function serve(service: Service): Promise<void> {
  const { client, namespace, serviceName, podCreators, address, probe, drainMs, log, signal } = service;
  const server = new AdmissionServer({
    handlers: admissionHandlers({ podCreators: new Set(podCreators) }),
    log,
  });
  const readiness = new Readiness(log);
  const probes = new ProbeServer({
    ...probe,
    notReady: () => (signal.aborted ? 'draining' : readiness.problem),
  });
  const leaf = new LeafKeeper({
    client,
    secret: { namespace, name: WEBHOOK_AUTHORITY_SECRET },
    dnsNames: serviceDnsNames(serviceName, namespace),
    useLeaf: (made) => {
      server.useLeaf(made);
    },
    clock: systemClock,
    randomBytes,
    log,
  });
  try {
    const port = await server.listen(address);
    const probePort = await probes.listen();
    log.info({ version: VERSION, port, probePort, podCreators }, 'webhook started');
    const target = {
      address: { host: address.host, port },
      leaf,
      dnsName: `${serviceName}.${namespace}.svc`,
      clock: systemClock,
    };
    await Promise.all([
      leaf.run(signal),
      dialOurselves(target, signal, (problem) => {
        readiness.found(problem);
      }),
    ]);
    // The API server may still choose this replica until everybody has seen that it is not ready.
    server.startDraining();
    await systemClock.sleep(drainMs);
  } finally {
    await Promise.all([server.close(), probes.close()]);
  }
  log.info({}, 'ended');
}

/** What `/readyz` says of the last attempt to dial ourselves. */
class Readiness {
  /** Undefined where nothing is missing. */
  problem: string | undefined = 'starting';
  private readonly log: Logger;

  constructor(log: Logger) {
    this.log = log;
  }

  found(problem: string | undefined): void {
    if (problem === this.problem) return;
    this.problem = problem;
    if (problem === undefined) this.log.info({}, 'ready');
    else this.log.info({ problem }, 'not ready');
  }
}
