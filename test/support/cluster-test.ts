import { inject, test } from 'vitest';
import { administrator, createNamespace, NAMESPACES } from './admin.ts';

/** A test with an administrator's client and a namespace of its own; works for tests that run side by side. */
export const clusterTest = test
  // eslint-disable-next-line no-empty-pattern -- vitest reads from the pattern what the fixture needs
  .extend('client', { scope: 'file' }, async ({}, { onCleanup }) => {
    const client = await administrator(inject('kubeconfigPath'));
    onCleanup(() => client.close());
    return client;
  })
  .extend('namespace', async ({ client }, { onCleanup }) => {
    const name = await createNamespace(client);
    onCleanup(async () => {
      await client.delete(NAMESPACES, { name });
    });
    return name;
  });
