import { describe, expect } from 'vitest';
import { PODS, SECRETS, type Pod, type Resource, type Secret } from '../../src/api/kubernetes.ts';
import { CONNECT_LABEL, PAUSED_ANNOTATION } from '../../src/api/names.ts';
import { DASK_CLUSTERS, type DaskCluster } from '../../src/api/dask-cluster.ts';
import { ConnectMirror } from '../../src/controller/connect-mirror.ts';
import { connectQuestion, connectSubject } from '../../src/core/identity/connect.ts';
import { parseConnectLabel, type ConnectTarget } from '../../src/core/identity/connect-target.ts';
import type { Requester } from '../../src/core/identity/requester.ts';
import { renderMirror } from '../../src/core/render/connect-mirror.ts';
import { connectPatch } from '../../src/core/render/connect.ts';
import { identityOf, ownerReference } from '../../src/core/render/owner.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { isNotFound } from '../../src/kube/errors.ts';
import { Store } from '../../src/kube/store.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { AccessReviews } from '../../webhooks/access-reviews.ts';
import { NamespaceCache } from '../../src/kube/namespace-cache.ts';
import { createNamespace, NAMESPACES } from '../support/admin.ts';
import { clusterTest } from '../support/cluster-test.ts';
import { aCluster } from '../support/builders.ts';
import { applyJsonPatch } from '../support/json-patch.ts';
import { unschedulablePod } from '../support/kube-client.ts';
import { poll } from '../support/poll.ts';

const log = createLogger({ name: 'test', level: 'error' });
const TARGET = { namespace: 'team-a', cluster: 'demo', secretName: 'dask-credentials-demo' };

function rbac(plural: string, kind: string): Resource {
  return { group: 'rbac.authorization.k8s.io', version: 'v1', plural, kind, namespaced: true };
}

async function grantConnect(client: KubeClient, namespace: string, cluster: string, subject: object) {
  const metadata = { name: `connect-${cluster}`, namespace };
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata,
    rules: [
      {
        apiGroups: ['gateway.dask.org'],
        resources: ['daskclusters'],
        resourceNames: [cluster],
        verbs: ['connect'],
      },
    ],
  };
  await client.create(rbac('roles', 'Role'), { namespace }, role);
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name },
    subjects: [subject],
  };
  await client.create(rbac('rolebindings', 'RoleBinding'), { namespace }, binding);
}

describe('the right to connect', () => {
  const ada: Requester = { username: 'ada', uid: '', groups: ['system:authenticated'], extra: { a: ['b'] } };
  /** New ones each time: nothing is remembered from before the grant. */
  const may = (client: KubeClient, who: Requester, namespace: string, cluster = 'demo'): Promise<boolean> =>
    new AccessReviews({ client, clock: systemClock }).check(
      who,
      connectQuestion({ ...TARGET, namespace, cluster }),
    );

  clusterTest(
    "is a user's by a role, for that cluster and namespace alone",
    async ({ client, namespace }) => {
      expect(await may(client, ada, namespace)).toBe(false);
      await grantConnect(client, namespace, 'demo', { kind: 'User', name: 'ada' });
      await poll(
        'the right',
        () => may(client, ada, namespace),
        (allowed) => allowed,
      );
      expect(await may(client, ada, namespace, 'other')).toBe(false);
      expect(await may(client, ada, 'default')).toBe(false);
      expect(await may(client, { ...ada, username: 'bob' }, namespace)).toBe(false);
    },
  );

  clusterTest(
    "is a service account's by its groups, for the pods with an owner",
    async ({ client, namespace }) => {
      const subject = {
        kind: 'Group',
        apiGroup: 'rbac.authorization.k8s.io',
        name: `system:serviceaccounts:${namespace}`,
      };
      await grantConnect(client, namespace, 'demo', subject);
      const pod = unschedulablePod(namespace, 'p');
      const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: '1' };
      const owned = { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } };
      const account = connectSubject(owned, namespace, ada);
      await poll(
        'the right',
        () => may(client, account, namespace),
        (allowed) => allowed,
      );
      expect(await may(client, connectSubject(pod, namespace, ada), namespace)).toBe(false);
    },
  );
});

describe('NamespaceCache', () => {
  clusterTest('knows a namespace of this moment', async ({ client }) => {
    const ending = new AbortController();
    const cache = new NamespaceCache({ client, clock: systemClock, random: Math.random, log });
    const running = cache.run(ending.signal);
    try {
      await cache.synced;
      const name = await createNamespace(client);
      expect((await cache.find(name))?.labels).toEqual({ 'kubernetes.io/metadata.name': name });
      const change = {
        type: 'merge',
        body: { metadata: { annotations: { 'daskwarden.dev/owner': 'ada' } } },
      } as const;
      await client.patch(NAMESPACES, { name }, change);
      await poll(
        'the annotation',
        () => Promise.resolve(cache.get(name)),
        (facts) => facts?.annotations['daskwarden.dev/owner'] === 'ada',
      );
      await client.delete(NAMESPACES, { name });
    } finally {
      ending.abort();
      await running;
    }
  });
});

describe('the copy of a certificate', () => {
  const read = async (client: KubeClient, namespace: string, name: string): Promise<Secret | undefined> => {
    try {
      return await client.get<Secret>(SECRETS, { namespace, name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };

  clusterTest('follows clients and cluster', async ({ client, namespace, onTestFinished }) => {
    const home = await createNamespace(client);
    onTestFinished(async () => {
      await client.delete(NAMESPACES, { name: home });
    });
    // Left alone by the product's controller: what that would make is made here.
    const metadata = { name: 'demo', namespace: home, annotations: { [PAUSED_ANNOTATION]: 'true' } };
    const { metadata: _, ...paused } = aCluster();
    const made = { ...paused, metadata };
    const cluster = await client.create<DaskCluster>(DASK_CLUSTERS, { namespace: home }, made);
    await client.create(SECRETS, { namespace: home }, sourceOf(cluster));
    const clusters = new Store<DaskCluster>({ log });
    clusters.replace([cluster], '1');
    const target = parseConnectLabel(`${home}.demo`, namespace)!;
    const mirror = new ConnectMirror({ client, clusters, clock: systemClock, random: Math.random, log });
    const ending = new AbortController();
    const running = mirror.run(ending.signal);
    onTestFinished(async () => {
      ending.abort();
      await running;
    });
    const ownedBy = (names: string) =>
      poll(
        `a copy that is owned by ${names}`,
        () => read(client, namespace, target.secretName),
        (copy) => copy?.metadata.ownerReferences?.map(({ name }) => name).join() === names,
      );
    await client.create(PODS, { namespace }, aClient(namespace, 'first', target));
    expect((await ownedBy('first'))?.data).toEqual({ 'dask.crt': 'YQ==', 'dask.pem': 'Yg==' });
    await client.create(PODS, { namespace }, aClient(namespace, 'second', target));
    await ownedBy('first,second');
    await client.delete(PODS, { namespace, name: 'first' }, { gracePeriodSeconds: 0 });
    await ownedBy('second');
    await client.delete(PODS, { namespace, name: 'second' }, { gracePeriodSeconds: 0 });
    await goneFrom(client, namespace, target.secretName);
  });

  clusterTest('ends with its last client though nobody looks', async ({ client, namespace }) => {
    const cluster = aCluster();
    // Without the label no controller cares for it.
    const pod = await client.create(PODS, { namespace }, unschedulablePod(namespace, 'client'));
    const copy = renderMirror({
      cluster: identityOf(cluster),
      source: sourceOf(cluster),
      namespace,
      pods: [pod],
    })!;
    await client.create(SECRETS, { namespace }, copy);
    await client.delete(PODS, { namespace, name: 'client' }, { gracePeriodSeconds: 0 });
    await goneFrom(client, namespace, copy.metadata.name ?? '');
  });

  function sourceOf(cluster: DaskCluster): Secret {
    const owner = identityOf(cluster);
    return {
      metadata: {
        name: `dask-credentials-${owner.name}`,
        namespace: owner.namespace,
        ownerReferences: [ownerReference(owner)],
      },
      data: { 'dask.crt': 'YQ==', 'dask.pem': 'Yg==', 'api-token': 'Yw==' },
    };
  }

  function aClient(namespace: string, name: string, target: ConnectTarget): Pod {
    const bare = unschedulablePod(namespace, name);
    const labels = { [CONNECT_LABEL]: `${target.namespace}.${target.cluster}` };
    const pod = { ...bare, metadata: { ...bare.metadata, labels } };
    return applyJsonPatch(pod, connectPatch(pod, target));
  }

  async function goneFrom(client: KubeClient, namespace: string, name: string): Promise<void> {
    await poll(
      `the end of ${name}`,
      () => read(client, namespace, name),
      (secret) => secret === undefined,
    );
  }
});
