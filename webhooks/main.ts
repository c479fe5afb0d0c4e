import { DEFAULT_POLICY, type Policy } from '../src/core/policy/policy.ts';
import { policyFromDocument } from '../src/core/policy/from-document.ts';
import { accessByFlags } from '../src/kube/access.ts';
import { KubeClient } from '../src/kube/client.ts';
import { systemClock } from '../src/platform/clock.ts';
import { ConfigurationFile } from '../src/platform/configuration-file.ts';
import { everyAddress } from '../src/platform/every-address.ts';
import { FlagError, logLevel, wholeNumber } from '../src/platform/flags.ts';
import { createLogger } from '../src/platform/logger.ts';
import { parseFlags } from '../src/platform/parse-flags.ts';
import { terminationSignal } from '../src/platform/signals.ts';
import { VERSION } from '../src/platform/version.ts';
import { CERTIFICATE_FLAGS, CERTIFICATE_USAGE, certificateByFlags } from './certificate-flags.ts';
import { WebhookService } from './service.ts';

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  kubeconfig: { type: 'string' },
  'service-account-dir': { type: 'string' },
  namespace: { type: 'string' },
  'service-name': { type: 'string', default: 'daskwarden-webhook' },
  config: { type: 'string' },
  ...CERTIFICATE_FLAGS,
  'pod-creator': { type: 'string', multiple: true, default: [] as string[] },
  host: { type: 'string' },
  port: { type: 'string', default: '9443' },
  'probe-host': { type: 'string' },
  'probe-port': { type: 'string', default: '8081' },
  'drain-seconds': { type: 'string', default: '5' },
  'log-level': { type: 'string', default: 'info' },
} as const;

const USAGE = `usage: daskwarden webhook [options]

Serves the admission webhooks over HTTPS.

  --kubeconfig FILE           how to reach the API server from outside of a pod
  --service-account-dir DIR   where token, ca.crt and namespace are mounted, if not at the usual place
  --namespace NAME            the namespace that daskwarden is installed in (default: the pod's or the kubeconfig's)
  --service-name NAME         the Service by which the API server reaches this process (default: daskwarden-webhook)
  --config FILE               rules, identities and limits; read again when it changes (default: the defaults of each)
${CERTIFICATE_USAGE}
  --pod-creator USER          who may create the schedulers and workers of clusters; may be repeated
                              (default: the service account daskwarden-controller of daskwarden's namespace);
                              podCreators of the configuration takes its place
  --host, --port              where reviews are served (default: every address, 9443; 0 for any free port)
  --probe-host, --probe-port  where /livez, /readyz and /metrics are served (default: every address, 8081;
                              0 for any free port)
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
  const certificate = certificateByFlags(values);
  const configuration =
    values.config === undefined
      ? undefined
      : await ConfigurationFile.load({
          path: values.config,
          parse: policyFromDocument,
          clock: systemClock,
          log,
        });
  const creators = values['pod-creator'];
  const standard = {
    ...DEFAULT_POLICY,
    podCreators:
      creators.length > 0 ? creators : [`system:serviceaccount:${namespace}:daskwarden-controller`],
  };
  const client = new KubeClient({ access, version: VERSION });
  try {
    const service = new WebhookService({
      client,
      namespace,
      serviceName: values['service-name'],
      policy: policySource(configuration, standard),
      configuration,
      certificate,
      address: { host: values.host ?? everyAddress(), port: wholeNumber('--port', values.port) },
      probe: {
        host: values['probe-host'] ?? everyAddress(),
        port: wholeNumber('--probe-port', values['probe-port']),
      },
      drainMs: wholeNumber('--drain-seconds', values['drain-seconds']) * 1000,
      log,
    });
    await service.run(signal);
  } finally {
    await client.close();
  }
  return 0;
}

/** One object for as long as the configuration is the same: verdicts are remembered by it. */
function policySource(configuration: ConfigurationFile<Policy> | undefined, standard: Policy): () => Policy {
  if (configuration === undefined) return () => standard;
  const complete = (policy: Policy): Policy =>
    policy.podCreators.length > 0 ? policy : { ...policy, podCreators: standard.podCreators };
  let current = complete(configuration.current());
  configuration.onChange((changed) => {
    current = complete(changed);
  });
  return () => current;
}
