import { describe, expect, it, onTestFinished } from 'vitest';
import { DASK_CLUSTERS } from '../../src/api/dask-cluster.ts';
import { PODS } from '../../src/api/kubernetes.ts';
import { webhookConfigurations } from '../../webhooks/configurations.ts';
import { adminClient } from '../support/kube-client.ts';
import { kubectl, kubectlApply, kubectlOk } from '../support/kubectl.ts';
import { freshNamespace } from '../support/namespaces.ts';
import { poll } from '../support/poll.ts';
import { cluster, controllerClient, refusalOf, workerPod } from './webhook-objects.ts';

describe('while the webhook is away', () => {
  /** The real registrations once more, for one namespace alone, and with a Service that leads nowhere. */
  async function withoutWebhook(namespace: string): Promise<void> {
    const name = `away-${namespace}`;
    const dead = webhookConfigurations({ name: 'nowhere', namespace, port: 443 });
    const selector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
    const objects = dead.map((configuration) => ({
      ...configuration,
      metadata: { name },
      webhooks: configuration.webhooks.map((webhook) => ({ ...webhook, namespaceSelector: selector })),
    }));
    await kubectlApply(objects, ['--server-side']);
    onTestFinished(async () => {
      await kubectlOk(['delete', 'validatingwebhookconfiguration,mutatingwebhookconfiguration', name]);
    });
    // The API server learns of a registration by a watch.
    await poll(
      'the dead webhooks to be called',
      () =>
        kubectl(['create', '--dry-run=server', '-n', namespace, '-f', '-'], {
          input: JSON.stringify(cluster()),
        }),
      ({ stderr }) => stderr.includes('service "nowhere" not found'),
    );
  }

  it('a cluster can be finalized, told its status, and deleted, but neither changed nor scaled', async () => {
    const client = await adminClient();
    const namespace = await freshNamespace();
    const at = { namespace, name: 'demo' };
    const merge = (body: object, subresource?: string): Promise<unknown> =>
      client.patch(DASK_CLUSTERS, { ...at, subresource }, { type: 'merge', body });
    await client.create(DASK_CLUSTERS, { namespace }, cluster());
    await withoutWebhook(namespace);

    await merge({ metadata: { finalizers: ['test.daskwarden.dev/hold'] } });
    await merge({ status: { message: 'from afar' } }, 'status');
    const refused = await Promise.all([
      refusalOf(merge({ spec: { active: true } })),
      refusalOf(merge({ metadata: { labels: { a: 'b' } } })),
      refusalOf(merge({ metadata: { annotations: { a: 'b' } } })),
      refusalOf(merge({ spec: { replicas: 2 } }, 'scale')),
    ]);
    for (const { message } of refused) {
      expect(message).toContain('failed calling webhook "validate.daskclusters.daskwarden.dev"');
    }
    await client.delete(DASK_CLUSTERS, at);
    await merge({ metadata: { labels: { ending: 'yes' } } });
    await merge({ metadata: { finalizers: null } });
    expect((await refusalOf(client.get(DASK_CLUSTERS, at))).code).toBe(404);
  });

  it('a worker can be told its status, finalized and deleted; other pods notice nothing', async () => {
    const namespace = await freshNamespace();
    const controller = await controllerClient();
    const client = await adminClient();
    const worker = workerPod(namespace);
    await controller.create(PODS, { namespace }, worker);
    await withoutWebhook(namespace);

    const again = { ...worker, metadata: { ...worker.metadata, name: 'w-1' } };
    const error = await refusalOf(controller.create(PODS, { namespace }, again));
    expect(error.message).toContain('inject.pods.daskwarden.dev');
    await client.create(PODS, { namespace }, { ...again, metadata: { name: 'other', namespace } });
    const merge = (body: object, subresource?: string): Promise<unknown> =>
      client.patch(PODS, { namespace, name: 'w-0', subresource }, { type: 'merge', body });
    await merge({ status: { message: 'from afar' } }, 'status');
    await merge({ metadata: { finalizers: ['test.daskwarden.dev/hold'], annotations: { a: 'b' } } });
    expect((await refusalOf(merge({ metadata: { labels: { a: 'b' } } }))).message).toContain(
      'guard.pods.daskwarden.dev',
    );
    await client.delete(PODS, { namespace, name: 'w-0' }, { gracePeriodSeconds: 0 });
    await merge({ metadata: { finalizers: null } });
    expect((await refusalOf(client.get(PODS, { namespace, name: 'w-0' }))).code).toBe(404);
  });
});
