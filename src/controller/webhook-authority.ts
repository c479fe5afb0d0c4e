import {
  MUTATING_WEBHOOKS,
  SECRETS,
  VALIDATING_WEBHOOKS,
  type KubeObject,
  type Resource,
  type Secret,
} from '../api/kubernetes.ts';
import { CONTROLLER_FIELD_MANAGER, WEBHOOK_AUTHORITY_SECRET, WEBHOOK_CONFIGURATION } from '../api/names.ts';
import type { JsonPatchOperation } from '../core/json-patch.ts';
import type { KubeClient } from '../kube/client.ts';
import { isAlreadyExists, isNotFound } from '../kube/errors.ts';
import { createAuthority } from '../pki/authority.ts';
import type { RandomBytes } from '../pki/serial-number.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';

interface Dependencies {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  /** The controller's own, where the authority is kept. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly log: Logger;
}

interface Configuration extends KubeObject {
  readonly webhooks?: readonly { readonly clientConfig?: { readonly caBundle?: string } }[];
}

/** A configuration that somebody applied again without its bundle is repaired after this long. */
const CHECK_MS = 600_000;
const RETRY_MS = 1_000;
/** What is not installed yet may be in a moment: a chart applies its objects in some order. */
const MISSING_RETRY_MS = 2_000;

/**
 * Keeps the webhooks' certificate authority: one Secret, and its certificate as the `caBundle` of both registrations.
 * Whoever may write a `caBundle` can read and change everything that passes the webhook, so only the controller may.
 */
export async function keepWebhookAuthority(deps: Dependencies, signal: AbortSignal): Promise<void> {
  let told = '';
  while (!signal.aborted) {
    let delayMs: number;
    try {
      delayMs = (await ensureWebhookAuthority(deps, signal)) ? CHECK_MS : MISSING_RETRY_MS;
      told = '';
    } catch (error) {
      delayMs = RETRY_MS;
      if (told !== String(error))
        deps.log.warn({ err: error }, "the webhooks' authority could not be ensured");
      told = String(error);
    }
    await deps.clock.sleep(delayMs, signal).catch(() => undefined);
  }
}

/**
 * Makes the authority where there is none and writes it into the registrations where they differ; otherwise reads.
 * @returns whether both registrations were there
 */
export async function ensureWebhookAuthority(deps: Dependencies, signal: AbortSignal): Promise<boolean> {
  const secret = (await read(deps, signal)) ?? (await create(deps, signal));
  const bundle = secret.data?.['tls.crt'];
  if (bundle === undefined) {
    throw new Error(
      `Secret ${deps.namespace}/${WEBHOOK_AUTHORITY_SECRET}: has no key tls.crt; delete it to have it made anew`,
    );
  }
  const written = await Promise.all(
    [MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS].map((resource) => writeBundle(deps, resource, bundle, signal)),
  );
  return written.every(Boolean);
}

async function read({ client, namespace }: Dependencies, signal: AbortSignal): Promise<Secret | undefined> {
  try {
    return await client.get<Secret>(SECRETS, { namespace, name: WEBHOOK_AUTHORITY_SECRET }, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function create(deps: Dependencies, signal: AbortSignal): Promise<Secret> {
  const { client, namespace, clock, randomBytes, log } = deps;
  const authority = await createAuthority({ nowMs: clock.now(), randomBytes });
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: WEBHOOK_AUTHORITY_SECRET, namespace },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': base64(authority.certificatePem), 'tls.key': base64(authority.privateKeyPem) },
  };
  try {
    const options = { fieldManager: CONTROLLER_FIELD_MANAGER, signal };
    const stored = await client.create<Secret>(SECRETS, { namespace }, secret, options);
    log.info({ secret: WEBHOOK_AUTHORITY_SECRET }, "made the webhooks' certificate authority");
    return stored;
  } catch (error) {
    // Another replica was faster: its authority is as good.
    if (!isAlreadyExists(error)) throw error;
    return client.get<Secret>(SECRETS, { namespace, name: WEBHOOK_AUTHORITY_SECRET }, { signal });
  }
}

/** @returns false where the registration is not there */
async function writeBundle(
  { client, log }: Dependencies,
  resource: Resource,
  bundle: string,
  signal: AbortSignal,
): Promise<boolean> {
  const at = { name: WEBHOOK_CONFIGURATION };
  try {
    const { webhooks = [] } = await client.get<Configuration>(resource, at, { signal });
    const operations = webhooks.flatMap(({ clientConfig }, index): JsonPatchOperation[] =>
      clientConfig?.caBundle === bundle
        ? []
        : [{ op: 'add', path: `/webhooks/${String(index)}/clientConfig/caBundle`, value: bundle }],
    );
    if (operations.length === 0) return true;
    const options = { fieldManager: CONTROLLER_FIELD_MANAGER, signal };
    await client.patch(resource, at, { type: 'json', operations }, options);
    log.info({ kind: resource.kind, webhooks: operations.length }, 'set the caBundle');
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
