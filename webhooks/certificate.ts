import { X509Certificate } from 'node:crypto';
import { SECRETS, type Secret } from '../src/api/kubernetes.ts';
import type { KubeClient } from '../src/kube/client.ts';
import { isNotFound } from '../src/kube/errors.ts';
import { issueLeaf, type Authority, type CertificateAndKey } from '../src/pki/authority.ts';
import { rotationDue } from '../src/pki/rotation.ts';
import type { RandomBytes } from '../src/pki/serial-number.ts';
import type { Clock } from '../src/platform/clock.ts';
import type { Logger } from '../src/platform/logger.ts';
import type { LeafSource } from './certificate-source.ts';

/** A serving certificate, with those that lead from it to its authority where there are any, and its key. */
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
  /** Of a leaf; absent means 7 days. The controller must know of another one. */
  readonly validityMs?: number;
}

const POLL_MS = 10_000;
/** While no leaf can be used somebody waits for it: at first impatiently, then as one who may wait for long. */
const FIRST_POLL_MS = 250;
const LONGEST_FIRST_POLL_MS = 2_000;

interface InUse {
  readonly authorityPem: string;
  readonly certificatePem: string;
  readonly notAfterMs: number;
}

/**
 * Keeps a leaf of the current authority in use: a new one when the authority changes or two thirds of the leaf's life
 * are over. Every replica makes its own, so that no private key of a server is ever stored. A leaf is only ever made of
 * an authority that was just read: none is younger than the moment when its authority ceased to sign.
 */
export class LeafKeeper implements LeafSource {
  private readonly options: CertificateOptions;
  private inUse: InUse | undefined;
  private lastProblem: string | undefined;
  private impatientPollMs = FIRST_POLL_MS;

  constructor(options: CertificateOptions) {
    this.options = options;
  }

  get authority(): string | undefined {
    return this.inUse?.authorityPem;
  }

  get notAfterMs(): number | undefined {
    return this.inUse?.notAfterMs;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const delayMs = await this.turn(signal);
      await this.options.clock.sleep(delayMs, signal).catch(() => undefined);
    }
  }

  /** Looks for a change once. Never rejects. @returns milliseconds until the next look */
  async turn(signal: AbortSignal): Promise<number> {
    try {
      await this.renew(signal);
      this.lastProblem = undefined;
    } catch (error) {
      this.report(error, signal);
    }
    if (this.options.clock.now() < (this.inUse?.notAfterMs ?? 0)) {
      this.impatientPollMs = FIRST_POLL_MS;
      return POLL_MS;
    }
    const delayMs = this.impatientPollMs;
    this.impatientPollMs = Math.min(delayMs * 2, LONGEST_FIRST_POLL_MS);
    return delayMs;
  }

  private async renew(signal: AbortSignal): Promise<void> {
    const { client, clock, secret, dnsNames, randomBytes, useLeaf, log, validityMs } = this.options;
    const authority = authorityIn(await client.get<Secret>(SECRETS, secret, { signal }));
    const nowMs = clock.now();
    const changed = authority.certificatePem !== this.inUse?.authorityPem;
    if (!changed && !rotationDue(this.inUse?.certificatePem ?? '', nowMs).due) return;
    const lifetime = validityMs === undefined ? {} : { validityMs };
    const leaf = await issueLeaf({ authority, dnsNames, nowMs, randomBytes, ...lifetime });
    useLeaf(leaf);
    const { certificatePem } = leaf;
    const notAfterMs = new X509Certificate(certificatePem).validToDate.getTime();
    this.inUse = { certificatePem, notAfterMs, authorityPem: authority.certificatePem };
    log.info(
      { dnsNames, notAfter: new Date(notAfterMs).toISOString() },
      'a new serving certificate is in use',
    );
  }

  /** A leaf that is in use stays so; the same problem is told once. */
  private report(error: unknown, signal: AbortSignal): void {
    const { log, secret } = this.options;
    const problem = String(error);
    if (signal.aborted || problem === this.lastProblem) return;
    this.lastProblem = problem;
    if (this.inUse === undefined && isNotFound(error)) {
      log.info({ secret }, 'waiting for the controller to make the certificate authority');
    } else {
      log.warn({ secret, err: error }, 'the serving certificate could not be renewed');
    }
  }
}

function authorityIn(secret: Secret): Authority {
  const text = (key: string): string => Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8');
  return { certificatePem: text('tls.crt'), privateKeyPem: text('tls.key') };
}
