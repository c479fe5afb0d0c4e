import { SECRETS, type Secret } from '../src/api/kubernetes.ts';
import type { KubeClient } from '../src/kube/client.ts';
import { isNotFound } from '../src/kube/errors.ts';
import { issueLeaf, type CertificateAndKey } from '../src/pki/authority.ts';
import { rotationDue } from '../src/pki/rotation.ts';
import type { RandomBytes } from '../src/pki/serial-number.ts';
import type { Clock } from '../src/platform/clock.ts';
import type { Logger } from '../src/platform/logger.ts';

/** A serving certificate and its key, made by this process and kept in its memory alone. */
export type Leaf = CertificateAndKey;

export interface CertificateOptions {
  readonly client: Pick<KubeClient, 'get'>;
  /** The Secret with `tls.crt` and `tls.key` of the authority, which the controller makes. */
  readonly secret: { readonly namespace: string; readonly name: string };
  readonly dnsNames: readonly [string, ...string[]];
  /** Takes a new leaf into use. */
  readonly useLeaf: (leaf: Leaf) => void;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly log: Logger;
}

const POLL_MS = 10_000;
/** Until the first leaf is there, somebody waits for it: at first impatiently, then as one who may wait for long. */
const FIRST_POLL_MS = 250;
const LONGEST_FIRST_POLL_MS = 2_000;

/**
 * Keeps a leaf of the current authority in use: a new one when the authority changes or two thirds of the leaf's life
 * are over. Every replica makes its own, so that no private key of a server is ever stored.
 */
export class LeafKeeper {
  private readonly options: CertificateOptions;
  private leaf: Leaf | undefined;
  private authorityPem: string | undefined;
  private lastProblem: string | undefined;

  constructor(options: CertificateOptions) {
    this.options = options;
  }

  /** The certificate that the leaf in use can be verified by; undefined while there is no leaf. */
  get authority(): string | undefined {
    return this.authorityPem;
  }

  /** Looks for a change again and again until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    let firstPollMs = FIRST_POLL_MS;
    while (!signal.aborted) {
      try {
        await this.renew(signal);
        this.lastProblem = undefined;
      } catch (error) {
        this.report(error, signal);
      }
      const delayMs = this.leaf === undefined ? firstPollMs : POLL_MS;
      firstPollMs = Math.min(firstPollMs * 2, LONGEST_FIRST_POLL_MS);
      await this.options.clock.sleep(delayMs, signal).catch(() => undefined);
    }
  }

  private async renew(signal: AbortSignal): Promise<void> {
    const { client, clock, secret, dnsNames, randomBytes, useLeaf, log } = this.options;
    const authority = authorityIn(await client.get<Secret>(SECRETS, secret, { signal }));
    const nowMs = clock.now();
    const changed = authority.certificatePem !== this.authorityPem;
    const due = this.leaf === undefined || rotationDue(this.leaf.certificatePem, nowMs).due;
    if (!changed && !due) return;
    const leaf = await issueLeaf({ authority, dnsNames, nowMs, randomBytes });
    useLeaf(leaf);
    this.leaf = leaf;
    this.authorityPem = authority.certificatePem;
    log.info({ dnsNames }, 'a new serving certificate is in use');
  }

  /** A leaf that is in use stays so; the same problem is told once. */
  private report(error: unknown, signal: AbortSignal): void {
    const { log, secret } = this.options;
    const problem = String(error);
    if (signal.aborted || problem === this.lastProblem) return;
    this.lastProblem = problem;
    if (this.leaf === undefined && isNotFound(error)) {
      log.info({ secret }, 'waiting for the controller to make the certificate authority');
    } else {
      log.warn({ secret, err: error }, 'the serving certificate could not be renewed');
    }
  }
}

function authorityIn(secret: Secret): CertificateAndKey {
  const text = (key: string): string => Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8');
  return { certificatePem: text('tls.crt'), privateKeyPem: text('tls.key') };
}
