import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { kubectl, kubectlOk } from './kubectl.ts';
import { poll } from './poll.ts';

/**
 * A namespace of the calling test's own, ready for pods (its default service account is there). It is deleted, without
 * waiting, when the test is over.
 * @param labels for example `pod-security.kubernetes.io/enforce=restricted`.
 */
export async function freshNamespace(...labels: string[]): Promise<string> {
  const name = `test-${randomBytes(4).toString('hex')}`;
  await kubectlOk(['create', 'namespace', name]);
  onTestFinished(async () => {
    await kubectlOk(['delete', 'namespace', name, '--wait=false']);
  });
  if (labels.length > 0) await kubectlOk(['label', 'namespace', name, ...labels]);
  await poll(
    `the default service account of ${name}`,
    () => kubectl(['get', 'serviceaccount', 'default', '-n', name]),
    ({ code }) => code === 0,
  );
  return name;
}
