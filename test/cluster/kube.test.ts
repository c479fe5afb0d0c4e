import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { PODS } from '../../src/api/kubernetes.ts';
import type { Resource } from '../../src/api/kubernetes.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { inClusterAccess } from '../../src/kube/config.ts';
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isThrottled,
} from '../../src/kube/errors.ts';
import type { ApiError } from '../../src/kube/errors.ts';
import { listAll } from '../../src/kube/pager.ts';
import {
  adminClient,
  clientOf,
  CONFIG_MAPS,
  configMap,
  coreResource,
  unschedulablePod,
} from '../support/kube-client.ts';
import type { ConfigMap } from '../support/kube-client.ts';
import { kubectlApply, kubectlOk } from '../support/kubectl.ts';
import { freshNamespace } from '../support/namespaces.ts';
import { poll } from '../support/poll.ts';

const SERVICE_ACCOUNTS = coreResource('serviceaccounts', 'ServiceAccount');

/** What a pod of the namespace's default service account finds in its file system. */
async function serviceAccountDirectory(admin: KubeClient, namespace: string): Promise<string> {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const at = { namespace, name: 'default', subresource: 'token' };
  const { status } = await admin.create<object, { status: { token: string } }>(SERVICE_ACCOUNTS, at, request);
  const directory = await mkdtemp(join(tmpdir(), 'service-account-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'token'), status.token);
  await writeFile(join(directory, 'ca.crt'), inject('caPem'));
  await writeFile(join(directory, 'namespace'), namespace);
  return directory;
}

/** A kind that nobody had before, served. */
async function freshResource(): Promise<Resource> {
  const group = `test-${randomBytes(4).toString('hex')}.daskwarden.dev`;
  const name = `things.${group}`;
  const schema = { openAPIV3Schema: { type: 'object' } };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
  expect(await kubectlApply([definition])).toMatchObject({ code: 0 });
  onTestFinished(async () => {
    await kubectlOk(['delete', 'crd', name, '--wait=false']);
  });
  await kubectlOk(['wait', '--for=condition=Established', `crd/${name}`]);
  return { group, version: 'v1', plural: 'things', kind: 'Thing', namespaced: true };
}

describe('access', () => {
  test('by a service account, as in a pod', async () => {
    const admin = await adminClient();
    const namespace = await freshNamespace();
    const url = new URL(inject('server'));
    const access = await inClusterAccess({
      env: { KUBERNETES_SERVICE_HOST: url.hostname, KUBERNETES_SERVICE_PORT: url.port },
      directory: await serviceAccountDirectory(admin, namespace),
    });
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const reviews = {
      ...coreResource('selfsubjectreviews', 'SelfSubjectReview'),
      group: 'authentication.k8s.io',
      namespaced: false,
    };
    const answer = await clientOf(access).create<object, { status: object }>(reviews, {}, review);
    expect(answer.status).toMatchObject({
      userInfo: { username: `system:serviceaccount:${namespace}:default` },
    });

    const refused = await clientOf(access)
      .list(PODS, { namespace })
      .catch((error: unknown) => error);
    expect(isForbidden(refused)).toBe(true);
    expect(String(refused)).toMatch(`GET /api/v1/namespaces/${namespace}/pods: 403 pods is forbidden`);
  });

  test('to a server with a certificate of somebody else sends nothing', async () => {
    const access = { server: inject('server'), credentials: () => Promise.resolve({ token: 'x' }) };
    await expect(clientOf(access).request('GET', '/readyz', { timeoutMs: 5_000 })).rejects.toMatchObject({
      name: 'TransportError',
      outcome: 'not-sent',
    });
  });
});

describe('verbs', () => {
  test('create, get, the three patches and delete', async () => {
    const client = await adminClient();
    const namespace = await freshNamespace();
    const at = { namespace, name: 'c' };
    const created = await client.create(CONFIG_MAPS, { namespace }, configMap(namespace, 'c', { a: '1' }));
    expect(await client.get(CONFIG_MAPS, at)).toEqual(created);

    await client.patch(CONFIG_MAPS, at, {
      type: 'json',
      operations: [{ op: 'add', path: '/data/b', value: '2' }],
    });
    await client.patch(CONFIG_MAPS, at, { type: 'merge', body: { data: { a: null } } });
    const apply = { type: 'apply', body: configMap(namespace, 'c', { b: '3' }), force: true } as const;
    const applied = await client.patch<ConfigMap>(CONFIG_MAPS, at, apply, { fieldManager: 'test' });
    expect(applied.data).toEqual({ b: '3' });
    const dryRun = await client.patch<ConfigMap>(
      CONFIG_MAPS,
      at,
      { type: 'merge', body: { data: { b: '4' } } },
      { dryRun: true },
    );
    expect(dryRun.data).toEqual({ b: '4' });
    expect((await client.get<ConfigMap>(CONFIG_MAPS, at)).data).toEqual({ b: '3' });

    await client.delete(CONFIG_MAPS, at, { uid: created.metadata.uid });
    await expect(client.get(CONFIG_MAPS, at)).rejects.toSatisfy(isNotFound);
  });

  test('refusals are told apart', async () => {
    const client = await adminClient();
    const namespace = await freshNamespace();
    const at = { namespace, name: 'c' };
    await client.create(CONFIG_MAPS, { namespace }, configMap(namespace, 'c'));

    await expect(client.create(CONFIG_MAPS, { namespace }, configMap(namespace, 'c'))).rejects.toSatisfy(
      isAlreadyExists,
    );
    await expect(client.delete(CONFIG_MAPS, at, { uid: 'another' })).rejects.toSatisfy(isConflict);
    const stale = { type: 'merge', body: { metadata: { resourceVersion: '1' }, data: { x: 'y' } } } as const;
    await expect(client.patch(CONFIG_MAPS, at, stale)).rejects.toSatisfy(isConflict);

    const bad = unschedulablePod(namespace, 'p');
    const invalid = await client
      .create(PODS, { namespace }, { ...bad, spec: { containers: [] } })
      .catch((error: unknown) => error);
    expect(isInvalid(invalid)).toBe(true);
    expect((invalid as ApiError).details?.causes).toMatchObject([{ field: 'spec.containers' }]);
  });

  test('a list in pages is whole and consistent', async () => {
    const client = await adminClient();
    const namespace = await freshNamespace();
    const names = Array.from({ length: 25 }, (_, i) => `c-${String(i).padStart(2, '0')}`);
    await Promise.all(
      names.map((name) =>
        client.create(CONFIG_MAPS, { namespace }, configMap(namespace, name, { mine: 'yes' })),
      ),
    );
    const { items } = await listAll<ConfigMap, ConfigMap>(
      client,
      CONFIG_MAPS,
      { namespace },
      {
        pageSize: 10,
        prepare: (object) => object,
        signal: new AbortController().signal,
      },
    );
    const mine = items.filter(({ data }) => data?.['mine'] === 'yes');
    expect(mine.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(mine.every(({ kind, apiVersion }) => kind === 'ConfigMap' && apiVersion === 'v1')).toBe(true);
  });

  test('a watch from before the history that the server keeps is gone', async () => {
    const client = await adminClient();
    // The API server's memory of a resource begins when the resource does.
    const things = await freshResource();
    const query = { resourceVersion: '1', timeoutSeconds: 5 };
    const watching = (): Promise<unknown> =>
      client
        .watch(things, query, new AbortController().signal)
        .next()
        .catch((error: unknown) => error);
    // 429 as long as the server's cache of the new resource is being filled.
    const outcome = await poll('the watch to be answered', watching, (error) => !isThrottled(error));
    expect(outcome).toSatisfy(isGone);
  });
});
