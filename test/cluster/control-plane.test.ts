import { access } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';
import { processIdentity } from '../../src/control-plane/process-identity.ts';
import { startControlPlane } from '../../src/control-plane/control-plane.ts';
import { kubectlApply, kubectlGet, kubectlOk } from '../support/kubectl.ts';
import { freshNamespace } from '../support/namespaces.ts';
import { poll } from '../support/poll.ts';

interface PodView {
  readonly metadata: { readonly uid: string };
  readonly status: { readonly phase: string; readonly podIP?: string };
}

const pod = (namespace: string, name: string, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, ...metadata },
  spec: { containers: [{ name: 'main', image: 'example.test/image:1' }] },
});

test('a pod is scheduled, becomes Running, and is gone after its deletion', async () => {
  const namespace = await freshNamespace();
  const applied = await kubectlApply([pod(namespace, 'one')]);
  expect(applied.stderr).toBe('');
  const running = await poll(
    'the pod to run',
    () => kubectlGet<PodView>(['pod', 'one', '-n', namespace]),
    (found) => found?.status.phase === 'Running',
  );
  expect(running?.status.podIP).toMatch(/^10\.244\./);

  await kubectlOk(['delete', 'pod', 'one', '-n', namespace, '--wait=false']);
  await poll(
    'the pod to be gone',
    () => kubectlGet<PodView>(['pod', 'one', '-n', namespace]),
    (found) => found === undefined,
  );
});

test('what an object owns is collected after it', async () => {
  const namespace = await freshNamespace();
  await kubectlOk(['create', 'configmap', 'owner', '-n', namespace]);
  const owner = await kubectlGet<PodView>(['configmap', 'owner', '-n', namespace]);
  const { uid } = owner!.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  await kubectlApply([pod(namespace, 'owned', { ownerReferences })]);

  await kubectlOk(['delete', 'configmap', 'owner', '-n', namespace]);
  await poll(
    'the owned pod to be collected',
    () => kubectlGet<PodView>(['pod', 'owned', '-n', namespace]),
    (found) => found === undefined,
  );
});
