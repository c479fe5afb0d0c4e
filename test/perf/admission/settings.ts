import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from '../../../src/control-plane/control-plane.ts';
import { WEBHOOK_CONFIGURATION } from '../../../src/api/names.ts';
import { webhookConfigurations, type WebhookConfiguration } from '../../../webhooks/configurations.ts';
import type { Baseline } from './servers.ts';
import { clusterText } from './reviews.ts';
import type { Setting } from './through-api-server.ts';

export const BASELINE_SERVICE = 'baseline';
const KINDS = 'mutatingwebhookconfiguration,validatingwebhookconfiguration';
const TIMEOUT_MS = 30_000;

/** The registrations by which the API server asks nobody, us, or the baseline at both of our paths. */
export async function settingsOf(
  plane: Pick<ControlPlane, 'kubectl'>,
  { namespace, baseline }: { readonly namespace: string; readonly baseline: Baseline },
): Promise<{ readonly none: Setting; readonly ours: Setting; readonly baseline: Setting }> {
  const registered = JSON.parse(
    await succeed(plane, ['get', KINDS, WEBHOOK_CONFIGURATION, '-o', 'json']),
  ) as { readonly items: readonly WebhookConfiguration[] };
  const ours = registered.items.map(({ apiVersion, kind, webhooks }) => ({
    apiVersion,
    kind,
    metadata: { name: WEBHOOK_CONFIGURATION },
    webhooks,
  }));
  await succeed(plane, ['apply', '-f', '-'], JSON.stringify(serviceOf(namespace, baseline.port)));
  const theirs = registrationsOf(namespace, baseline);
  const withdraw = async (): Promise<void> => {
    await succeed(plane, ['delete', KINDS, WEBHOOK_CONFIGURATION, '--ignore-not-found']);
    await untilRefused(plane, false);
  };
  const setting = (name: string, items: readonly object[]): Setting => ({
    name,
    apply: async () => {
      await withdraw();
      const list = { apiVersion: 'v1', kind: 'List', items };
      await succeed(plane, ['create', '-f', '-'], JSON.stringify(list));
      await untilRefused(plane, true);
    },
  });
  return {
    none: { name: 'no webhook', apply: withdraw },
    ours: setting('daskwarden', ours),
    baseline: setting('Go baseline', theirs),
  };
}

function registrationsOf(namespace: string, { port, caPem }: Baseline): readonly object[] {
  const caBundle = Buffer.from(caPem).toString('base64');
  return webhookConfigurations({ name: BASELINE_SERVICE, namespace, port }).map((configuration) => ({
    ...configuration,
    webhooks: configuration.webhooks
      .filter(({ name }) => name.includes('daskclusters'))
      .map((webhook) => ({ ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } })),
  }));
}

function serviceOf(namespace: string, port: number): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: BASELINE_SERVICE, namespace },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port, protocol: 'TCP' }] },
  };
}

/** The API server learns of a registration a moment after it was written. */
async function untilRefused(plane: Pick<ControlPlane, 'kubectl'>, wanted: boolean): Promise<void> {
  const cluster = JSON.parse(clusterText('probe', 0, 0).replace('"dask-worker"', '"NO_NAME"')) as {
    metadata: object;
  };
  const input = JSON.stringify({ ...cluster, metadata: { name: 'probe', namespace: 'default' } });
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const args = ['create', '--dry-run=server', '--validate=ignore', '-f', '-'];
    const { code, stdout, stderr } = await plane.kubectl(args, { input });
    if ((code !== 0 && stderr.includes('NO_NAME')) === wanted) return;
    if (performance.now() > deadline)
      throw new Error(`the registration has no effect: ${stdout.trim()} ${stderr.trim()}`);
    await delay(100);
  }
}

async function succeed(
  { kubectl }: Pick<ControlPlane, 'kubectl'>,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const { code, stdout, stderr } = await kubectl(args, input === undefined ? {} : { input });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr.trim()}`);
  return stdout;
}
