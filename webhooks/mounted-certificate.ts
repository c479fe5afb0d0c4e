import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, realpath, watch } from 'node:fs/promises';
import { join } from 'node:path';
import { validityProblem } from '../src/pki/validity.ts';
import type { Clock } from '../src/platform/clock.ts';
import type { Logger } from '../src/platform/logger.ts';
import type { LeafSource } from './certificate-source.ts';
import type { Leaf } from './certificate.ts';

export interface MountedCertificateOptions {
  /** With `tls.crt`, `tls.key` and perhaps `ca.crt`, as a Secret of cert-manager's is mounted. */
  readonly directory: string;
  /** The name that the API server asks for. */
  readonly dnsName: string;
  /** Takes a new leaf into use. */
  readonly useLeaf: (leaf: Leaf) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

const POLL_MS = 10_000;
/** Whoever renews in time, cert-manager at two thirds of a life, never lets it come to this. */
const WARN_FROM_PART_OF_LIFE = 5 / 6;

interface InUse extends Leaf {
  readonly authorityPem: string;
  readonly certificate: X509Certificate;
}

/** The files are no certificate that can be served; the message says why. */
class MountedCertificateError extends Error {
  override readonly name = 'MountedCertificateError';
}

/**
 * Serves the certificate of a mounted Secret, and a new one as soon as the kubelet puts it there. One that cannot be
 * served is told of and never taken into use: the one before goes on.
 */
export class MountedCertificate implements LeafSource {
  private readonly options: MountedCertificateOptions;
  private inUse: InUse | undefined;
  private lastProblem: string | undefined;
  private lastAge: 'fine' | 'expires soon' | 'has expired' = 'fine';

  constructor(options: MountedCertificateOptions) {
    this.options = options;
  }

  get authority(): string | undefined {
    return this.inUse?.authorityPem;
  }

  get notAfterMs(): number | undefined {
    return this.inUse?.certificate.validToDate.getTime();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const change = new AbortController();
      const stop = AbortSignal.any([signal, change.signal]);
      // Begun before the files are read, so that no change falls between.
      const watching = this.watch(stop).then((seen) => {
        if (seen) change.abort();
      });
      await this.turn();
      await this.options.clock.sleep(POLL_MS, stop).catch(() => undefined);
      change.abort();
      await watching;
    }
  }

  /** Looks for another certificate once. Never rejects. */
  async turn(): Promise<void> {
    const { directory, log } = this.options;
    try {
      await this.load();
      this.lastProblem = undefined;
    } catch (error) {
      const problem = String(error);
      if (problem !== this.lastProblem) {
        const goesOn = this.inUse === undefined ? 'there is none to serve' : 'the one before is served on';
        log.warn({ directory, err: error }, `the mounted certificate cannot be used: ${goesOn}`);
      }
      this.lastProblem = problem;
    }
    this.watchAge();
  }

  private async load(): Promise<void> {
    const { directory, useLeaf, log } = this.options;
    const found = await readLeaf(directory);
    const { inUse } = this;
    const isSame =
      found.certificatePem === inUse?.certificatePem &&
      found.privateKeyPem === inUse.privateKeyPem &&
      found.authorityPem === inUse.authorityPem;
    if (isSame) return;
    const certificate = this.check(found);
    useLeaf(found);
    this.inUse = { ...found, certificate };
    const notAfter = certificate.validToDate.toISOString();
    log.info({ directory, notAfter }, 'a new serving certificate is in use');
  }

  /** @throws MountedCertificateError */
  private check({ certificatePem, privateKeyPem }: Leaf): X509Certificate {
    const { dnsName, clock } = this.options;
    const certificate = parsed('tls.crt', () => new X509Certificate(certificatePem));
    const key = parsed('tls.key', () => createPrivateKey(privateKeyPem));
    if (!certificate.checkPrivateKey(key)) {
      throw new MountedCertificateError('tls.key: must be the private key of the certificate in tls.crt');
    }
    const problem = validityProblem(certificate, clock.now());
    if (problem !== undefined) throw new MountedCertificateError(`tls.crt: ${problem}`);
    if (certificate.checkHost(dnsName, { subject: 'never' }) === undefined) {
      const names = certificate.subjectAltName ?? 'no DNS names';
      throw new MountedCertificateError(`tls.crt: must be for ${dnsName}; it is for ${names}`);
    }
    return certificate;
  }

  private watchAge(): void {
    if (this.inUse === undefined) return;
    const { directory, clock, log } = this.options;
    const { validFromDate, validToDate } = this.inUse.certificate;
    const [start, end] = [validFromDate.getTime(), validToDate.getTime()];
    const partOfLife = (clock.now() - start) / (end - start);
    const age =
      partOfLife >= 1 ? 'has expired' : partOfLife >= WARN_FROM_PART_OF_LIFE ? 'expires soon' : 'fine';
    if (age !== this.lastAge && age !== 'fine') {
      const fields = { directory, notAfter: validToDate.toISOString() };
      log[age === 'has expired' ? 'error' : 'warn'](
        fields,
        `the serving certificate ${age}, and there is no other`,
      );
    }
    this.lastAge = age;
  }

  /** @returns whether something changed in the folder, before the signal aborted */
  private async watch(signal: AbortSignal): Promise<boolean> {
    try {
      for await (const { filename } of watch(this.options.directory, { signal })) {
        this.options.log.debug({ filename }, 'the mounted certificate may have changed');
        return true;
      }
    } catch {
      // Not every file system can be watched: then the next poll sees the change.
    }
    return false;
  }
}

function parsed<T>(file: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new MountedCertificateError(`${file}: must be PEM`, { cause });
  }
}

/** The kubelet swaps all files at once by the link `..data`: followed once, so that they are of one generation. */
async function readLeaf(directory: string): Promise<Leaf & { readonly authorityPem: string }> {
  const folder = await realpath(join(directory, '..data')).catch(() => directory);
  const read = (file: string): Promise<string> => readFile(join(folder, file), 'utf8');
  const [certificatePem, privateKeyPem, authorityPem] = await Promise.all([
    read('tls.crt'),
    read('tls.key'),
    // Without it only the certificate itself is known to be right.
    read('ca.crt').catch(() => ''),
  ]);
  return { certificatePem, privateKeyPem, authorityPem: authorityPem === '' ? certificatePem : authorityPem };
}
