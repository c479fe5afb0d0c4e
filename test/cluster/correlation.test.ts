import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { DASK_CLUSTERS, type DaskCluster } from '../../src/api/dask-cluster.ts';
import { EVENTS, VALIDATING_WEBHOOKS, type KubeObject } from '../../src/api/kubernetes.ts';
import { correlationId } from '../../src/core/correlation.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { createAuthority, issueLeaf } from '../../src/pki/authority.ts';
import { clusterTest as it } from '../support/cluster-test.ts';
import { poll } from '../support/poll.ts';
import { cluster } from './webhook-objects.ts';

interface Review {
  readonly request: { readonly uid: string; readonly operation: string; readonly object: unknown };
}

/** What a validating webhook sees of each version of the namespace's DaskClusters: operation and correlation. */
async function admissions(client: KubeClient, namespace: string): Promise<readonly string[]> {
  const seen: string[] = [];
  const authority = await createAuthority({ nowMs: Date.now(), randomBytes });
  const leaf = await issueLeaf({ authority, dnsNames: ['localhost'], nowMs: Date.now(), randomBytes });
  const server = createServer({ cert: leaf.certificatePem, key: leaf.privateKeyPem }, (request, response) => {
    void json(request).then((body) => {
      const { uid, operation, object } = (body as Review).request;
      seen.push(`${operation} ${correlationId(object) ?? ''}`);
      response.setHeader('content-type', 'application/json');
      const answer = { uid, allowed: true };
      response.end(
        JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }),
      );
    });
  });
  await register(client, { namespace, port: await listen(server), caPem: authority.certificatePem });
  return seen;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function register(
  client: KubeClient,
  { namespace, port, caPem }: { namespace: string; port: number; caPem: string },
): Promise<void> {
  const name = `correlation-${namespace}`;
  const registration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: 'look.example.org',
        clientConfig: { url: `https://localhost:${port}/`, caBundle: Buffer.from(caPem).toString('base64') },
        rules: [
          {
            apiGroups: ['gateway.dask.org'],
            apiVersions: ['v1alpha1'],
            resources: ['daskclusters'],
            operations: ['CREATE', 'UPDATE'],
          },
        ],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        failurePolicy: 'Ignore',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
      },
    ],
  };
  await client.create(VALIDATING_WEBHOOKS, {}, registration);
  onTestFinished(async () => {
    await client.delete(VALIDATING_WEBHOOKS, { name });
  });
}

it('what admission calls a version of a cluster is what the Events on it are annotated with', async ({
  client,
  namespace,
}) => {
  const seen = await admissions(client, namespace);
  // Registrations are in force a moment after they are written; until then nothing is seen.
  await poll(
    'the webhook to be called',
    () => client.create(DASK_CLUSTERS, { namespace }, cluster(), { dryRun: true }),
    () => seen.length > 0,
  );
  const before = seen.length;
  const created = await client.create(DASK_CLUSTERS, { namespace }, cluster());
  const uid = created.metadata.uid ?? '';
  const change = { type: 'merge', body: { spec: { active: true } } } as const;
  const changed = await client.patch<DaskCluster>(DASK_CLUSTERS, { namespace, name: 'demo' }, change);
  // A patch that meets a write of the controller's is made again, and judged again.
  expect([...new Set(seen.slice(before))]).toEqual([`CREATE ${uid}/1`, `UPDATE ${uid}/2`]);
  expect(correlationId(changed)).toBe(`${uid}/2`);
  const query = { namespace, fieldSelector: 'regarding.name=demo' };
  const events = await poll(
    'an Event on the cluster',
    async () => (await client.list<KubeObject>(EVENTS, query)).items,
    (items) => items.length > 0,
  );
  const annotations = events.map(({ metadata }) => metadata.annotations?.['daskwarden.dev/correlation']);
  expect(annotations.filter((id) => id !== `${uid}/1` && id !== `${uid}/2`)).toEqual([]);
});
