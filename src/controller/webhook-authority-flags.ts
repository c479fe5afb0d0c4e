import { FlagError, wholeNumber } from '../platform/flags.ts';

/** To be spread into the options of `parseFlags`. */
export const WEBHOOK_AUTHORITY_FLAGS = {
  'webhook-ca': { type: 'string', default: 'self' },
  'webhook-ca-settle-seconds': { type: 'string', default: '30' },
} as const;

export const WEBHOOK_AUTHORITY_USAGE = `\
  --webhook-ca self|none      who keeps the certificate authority of the webhooks: this controller, in a Secret and in
                              the caBundle of both registrations, or somebody else, such as cert-manager (default: self)
  --webhook-ca-settle-seconds N
                              how long API servers and webhooks get to learn of a new authority (default: 30)`;

/** What is told to `keepWebhookAuthority`; undefined where somebody else keeps the authority. */
export interface WebhookAuthorityFlags {
  readonly settleMs: number;
}

/** @throws FlagError */
export function webhookAuthorityByFlags(values: {
  readonly 'webhook-ca': string;
  readonly 'webhook-ca-settle-seconds': string;
}): WebhookAuthorityFlags | undefined {
  const settleSeconds = wholeNumber('--webhook-ca-settle-seconds', values['webhook-ca-settle-seconds']);
  switch (values['webhook-ca']) {
    case 'self':
      return { settleMs: settleSeconds * 1000 };
    case 'none':
      return undefined;
    default:
      throw new FlagError(`--webhook-ca: must be self or none, not '${values['webhook-ca']}'`);
  }
}
