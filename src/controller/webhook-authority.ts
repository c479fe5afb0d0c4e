import { MUTATING_WEBHOOKS, SECRETS, VALIDATING_WEBHOOKS } from '../api/kubernetes.ts';
import { WEBHOOK_AUTHORITY_SECRET, WEBHOOK_CONFIGURATION } from '../api/names.ts';
import type { KubeClient } from '../kube/client.ts';
import { isAlreadyExists, isConflict } from '../kube/errors.ts';
import { createAuthority, LEAF_VALIDITY_MS } from '../pki/authority.ts';
import { nextStep, type RotationSettings, type RotationStep } from '../pki/authority-rotation.ts';
import type { RandomBytes } from '../pki/serial-number.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { AuthoritySecret, type FoundAuthorities } from './webhook-authority-secret.ts';
import { publishBundle, readRegistrations, type Registration } from './webhook-registrations.ts';
import { watchObject, type WatchDependencies } from './webhook-watch.ts';

export interface WebhookAuthorityOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  /** The controller's own, where the authority is kept. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly log: Logger;
  /** For how long API servers and replicas may be behind; absent means 30 s. */
  readonly settleMs?: number;
  /** Of an authority; absent means a year. */
  readonly validityMs?: number;
  /** The longest that a replica serves a leaf; absent means 7 days. */
  readonly leafValidityMs?: number;
}

/** Replicas look every 10 s. */
const SETTLE_MS = 30_000;
/** Changes are watched: this is for a watch that fails for long. */
const CHECK_MS = 600_000;
const RETRY_MS = 1_000;

/**
 * Keeps the webhooks' certificate authority: one Secret, and the certificates in it as the `caBundle` of both
 * registrations. All that it knows is stored there, so it goes on where another one ended.
 */
export class WebhookAuthority {
  private readonly options: WebhookAuthorityOptions;
  private readonly secret: AuthoritySecret;
  private readonly settings: RotationSettings;
  private seen = { what: '', sinceMs: 0 };
  private told = '';
  private wake = new AbortController();

  constructor(options: WebhookAuthorityOptions) {
    const { client, namespace, settleMs = SETTLE_MS, leafValidityMs = LEAF_VALIDITY_MS } = options;
    this.options = options;
    this.secret = new AuthoritySecret(client, namespace);
    this.settings = { settleMs, leafValidityMs };
  }

  /** Takes one turn after another until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.wake = new AbortController();
      const either = AbortSignal.any([signal, this.wake.signal]);
      const delayMs = await this.turn(signal);
      if (delayMs > 0) await this.options.clock.sleep(delayMs, either).catch(() => undefined);
    }
  }

  /** Something may have changed: the next turn begins at once. */
  look(): void {
    this.wake.abort();
  }

  /** Looks, and does the one thing that is due. Never rejects. @returns milliseconds until the next turn */
  async turn(signal: AbortSignal): Promise<number> {
    try {
      const delayMs = await this.advance(signal);
      this.told = '';
      return delayMs;
    } catch (error) {
      // Somebody else was faster: what they did is seen by looking again.
      if (isConflict(error) || isAlreadyExists(error)) return RETRY_MS;
      if (!signal.aborted && this.told !== String(error))
        this.options.log.warn({ err: error }, "the webhooks' certificate authority could not be kept");
      this.told = String(error);
      return RETRY_MS;
    }
  }

  private async advance(signal: AbortSignal): Promise<number> {
    const { client, clock } = this.options;
    const [found, registrations] = await Promise.all([
      this.secret.read(signal),
      readRegistrations(client, signal),
    ]);
    const stored = found?.stored;
    const bundles = registrations.flatMap((registration) => registration.bundles);
    const unchangedForMs = this.unchangedForMs(JSON.stringify([stored, bundles]));
    const step = nextStep({ stored, bundles, nowMs: clock.now(), unchangedForMs }, this.settings);
    if (step.kind === 'rest') return Math.min(Math.max(step.forMs, RETRY_MS), CHECK_MS);
    await this.take(step, found, registrations, signal);
    return 0;
  }

  private async take(
    step: Exclude<RotationStep, { readonly kind: 'rest' }>,
    found: FoundAuthorities | undefined,
    registrations: readonly Registration[],
    signal: AbortSignal,
  ): Promise<void> {
    const { client, clock, randomBytes, validityMs, log } = this.options;
    switch (step.kind) {
      case 'make': {
        const lifetime = validityMs === undefined ? {} : { validityMs };
        const made = await createAuthority({ nowMs: clock.now(), randomBytes, ...lifetime });
        await this.secret.write(found, { ...step.rest, [step.place]: made }, signal);
        const fields = { secret: WEBHOOK_AUTHORITY_SECRET, place: step.place, why: step.why };
        log.info(fields, 'made a certificate authority for the webhooks');
        return;
      }
      case 'publish':
        for (const registration of registrations) {
          const webhooks = await publishBundle(client, registration, step.bundlePem, signal);
          if (webhooks > 0) log.info({ kind: registration.resource.kind, webhooks }, 'set the caBundle');
        }
        return;
      case 'store':
        await this.secret.write(found, step.state, signal);
        log.info({ secret: WEBHOOK_AUTHORITY_SECRET }, step.why);
    }
  }

  private unchangedForMs(what: string): number {
    const nowMs = this.options.clock.monotonic();
    if (what !== this.seen.what) this.seen = { what, sinceMs: nowMs };
    return nowMs - this.seen.sinceMs;
  }
}

export interface KeepOptions extends WebhookAuthorityOptions, WatchDependencies {
  readonly client: WebhookAuthorityOptions['client'] & WatchDependencies['client'];
}

/**
 * Keeps the authority until the signal aborts. A registration that somebody applied again without its bundle, and a
 * Secret that somebody changed, are seen by a watch of the one object: an idle installation costs no calls.
 */
export async function keepWebhookAuthority(options: KeepOptions, signal: AbortSignal): Promise<void> {
  const authority = new WebhookAuthority(options);
  const { namespace } = options;
  const registration = { name: WEBHOOK_CONFIGURATION };
  const secret = { name: WEBHOOK_AUTHORITY_SECRET, namespace };
  const changed = (): void => {
    authority.look();
  };
  const watches = [
    watchObject(options, MUTATING_WEBHOOKS, registration, changed),
    watchObject(options, VALIDATING_WEBHOOKS, registration, changed),
    watchObject(options, SECRETS, secret, changed),
  ];
  await Promise.all([authority.run(signal), ...watches.map((watch) => watch.run(signal))]);
}
