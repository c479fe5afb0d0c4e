import { MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS, type KubeObject, type Resource } from '../api/kubernetes.ts';
import { CONTROLLER_FIELD_MANAGER, WEBHOOK_CONFIGURATION } from '../api/names.ts';
import type { KubeClient } from '../kube/client.ts';
import { isNotFound } from '../kube/errors.ts';

interface Configuration extends KubeObject {
  readonly webhooks?: readonly { readonly clientConfig?: { readonly caBundle?: string } }[];
}

/** One of our two registrations: the bundle (PEM, may be empty) of each of its webhooks, in order. */
export interface Registration {
  readonly resource: Resource;
  readonly bundles: readonly string[];
}

const AT = { name: WEBHOOK_CONFIGURATION };

/** Those of the two registrations that there are. */
export async function readRegistrations(
  client: Pick<KubeClient, 'get'>,
  signal: AbortSignal,
): Promise<readonly Registration[]> {
  const found = await Promise.all(
    [MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS].map(async (resource): Promise<Registration[]> => {
      try {
        const { webhooks = [] } = await client.get<Configuration>(resource, AT, { signal });
        const bundleOf = (encoded = ''): string => Buffer.from(encoded, 'base64').toString('utf8');
        return [{ resource, bundles: webhooks.map(({ clientConfig }) => bundleOf(clientConfig?.caBundle)) }];
      } catch (error) {
        if (isNotFound(error)) return [];
        throw error;
      }
    }),
  );
  return found.flat();
}

/**
 * Writes the bundle where another one is. Whoever may do so can read and change everything that passes the webhook:
 * of daskwarden only the controller may.
 * @returns how many webhooks had another one
 */
export async function publishBundle(
  client: Pick<KubeClient, 'patch'>,
  { resource, bundles }: Registration,
  bundlePem: string,
  signal: AbortSignal,
): Promise<number> {
  const value = Buffer.from(bundlePem, 'utf8').toString('base64');
  const operations = bundles.flatMap((bundle, index) =>
    bundle === bundlePem
      ? []
      : [{ op: 'add' as const, path: `/webhooks/${String(index)}/clientConfig/caBundle`, value }],
  );
  if (operations.length > 0) {
    const options = { fieldManager: CONTROLLER_FIELD_MANAGER, signal };
    await client.patch(resource, AT, { type: 'json', operations }, options);
  }
  return operations.length;
}
