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

  --kubeconfig FILE           outside of a pod: how to reach the API server
  --service-account-dir DIR   where token, ca.crt and namespace are mounted
  --namespace NAME            own namespace (default: the service account's)
  --service-name NAME         the Service that the API server dials (default: daskwarden-webhook)
  --pod-creator USER          who may create schedulers and workers; repeatable
                              (default: the service account daskwarden-controller of the own namespace)
  --host, --port              where reviews are served over HTTPS (default: every address, 9443; 0 for any port)
  --probe-host, --probe-port  where /livez and /readyz are served (default: every address, 8081; 0 for any port)
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
  if (namespace === undefined) throw new FlagError('--namespace: must be given outside of a pod');
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
  const port = await server.listen(address);
  let problem: string | undefined = 'not looked at yet';
  const probes = new ProbeServer({ ...probe, notReady: () => (signal.aborted ? 'draining' : problem) });
  const probePort = await probes.listen();
  log.info({ version: VERSION, port, probePort, podCreators }, 'webhook started');
  const keeping = leaf.run(signal);
  const dialling = dialOurselves(
    {
      address: { host: address.host, port },
      leaf,
      dnsName: `${serviceName}.${namespace}.svc`,
      clock: systemClock,
    },
    signal,
    (found) => {
      if (found === undefined && problem !== undefined) log.info({}, 'ready');
      problem = found;
    },
  );
  await Promise.all([keeping, dialling]);
  // The API server may still choose this replica until everybody has seen that it is not ready.
  server.startDraining();
  await systemClock.sleep(drainMs);
  await Promise.all([server.close(), probes.close()]);
  log.info({}, 'ended');
}
