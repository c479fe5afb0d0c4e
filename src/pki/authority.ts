import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type Issuer, issueCertificate } from './certificate.ts';
import { generateKeyPair, privateKeyPem } from './key-pair.ts';
import { createSerialNumber, type RandomBytes } from './serial-number.ts';
import { BACKDATE_MS, DAY_MS, validityProblem } from './validity.ts';

const AUTHORITY_COMMON_NAME = 'daskwarden-webhook-ca';
const LEAF_COMMON_NAME = 'daskwarden-webhook';
const AUTHORITY_VALIDITY_MS = 365 * DAY_MS;
/** The longest that a leaf is served: after it no leaf of an authority that no longer signs is left. */
export const LEAF_VALIDITY_MS = 7 * DAY_MS;

/** A certificate and its PKCS#8 private key, both PEM. */
export interface CertificateAndKey {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** The CA that the API server trusts for the webhooks (`caBundle`). */
export type Authority = CertificateAndKey;

export interface AuthorityRequest {
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** Absent means 365 days. */
  readonly validityMs?: number;
  readonly randomBytes: RandomBytes;
}

export interface LeafRequest extends AuthorityRequest {
  readonly authority: Authority;
  /** At least one; see `serviceDnsNames`. */
  readonly dnsNames: readonly [string, ...string[]];
  /** Absent means 7 days; never longer than what is left of the authority. */
  readonly validityMs?: number;
}

/** The authority cannot issue: the message says why. */
export class AuthorityError extends Error {
  override readonly name = 'AuthorityError';
}

export async function createAuthority(request: AuthorityRequest): Promise<Authority> {
  const keys = await generateKeyPair('P-256');
  const certificatePem = issueCertificate({
    commonName: AUTHORITY_COMMON_NAME,
    dnsNames: [],
    notBeforeMs: request.nowMs - BACKDATE_MS,
    notAfterMs: request.nowMs + (request.validityMs ?? AUTHORITY_VALIDITY_MS),
    serial: createSerialNumber(request.randomBytes),
    isCa: true,
    extendedKeyUsage: [],
    publicKey: keys.publicKey,
    issuer: { commonName: AUTHORITY_COMMON_NAME, keys },
  });
  return { certificatePem, privateKeyPem: privateKeyPem(keys.privateKey) };
}

/**
 * Makes a serving key and its certificate (P-256) for a webhook replica.
 * @throws AuthorityError where the authority is unreadable, not one of `createAuthority`, without its key, or not
 *   valid now
 */
export async function issueLeaf(request: LeafRequest): Promise<CertificateAndKey> {
  const { nowMs, dnsNames } = request;
  const { issuer, certificate } = issuerOf(request.authority, nowMs);
  const startMs = certificate.validFromDate.getTime();
  const endMs = certificate.validToDate.getTime();
  const keys = await generateKeyPair('P-256');
  const certificatePem = issueCertificate({
    commonName: LEAF_COMMON_NAME,
    dnsNames,
    notBeforeMs: Math.max(nowMs - BACKDATE_MS, startMs),
    notAfterMs: Math.min(nowMs + (request.validityMs ?? LEAF_VALIDITY_MS), endMs),
    serial: createSerialNumber(request.randomBytes),
    isCa: false,
    extendedKeyUsage: ['serverAuth'],
    publicKey: keys.publicKey,
    issuer,
  });
  return { certificatePem, privateKeyPem: privateKeyPem(keys.privateKey) };
}

/** Why `issueLeaf` would refuse the authority now; undefined where it would not. */
export function authorityProblem(authority: Authority, nowMs: number): string | undefined {
  try {
    issuerOf(authority, nowMs);
    return undefined;
  } catch (error) {
    if (error instanceof AuthorityError) return error.message;
    throw error;
  }
}

/** Whether a leaf can be verified by this certificate at some time: it is that of an authority made here. */
export function isAuthorityCertificate(certificatePem: string): boolean {
  try {
    return isOfAuthority(new X509Certificate(certificatePem));
  } catch {
    return false;
  }
}

function isOfAuthority(certificate: X509Certificate): boolean {
  return certificate.ca && certificate.subject === `CN=${AUTHORITY_COMMON_NAME}`;
}

function issuerOf(authority: Authority, nowMs: number): { issuer: Issuer; certificate: X509Certificate } {
  const { certificate, privateKey } = parse(authority);
  if (!isOfAuthority(certificate)) {
    throw new AuthorityError(
      `certificate authority: its certificate must be a CA's with the subject CN=${AUTHORITY_COMMON_NAME}`,
    );
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new AuthorityError('certificate authority: its private key is not the one of its certificate');
  }
  const problem = validityProblem(certificate, nowMs);
  if (problem !== undefined) throw new AuthorityError(`certificate authority: ${problem}`);
  const keys = { publicKey: certificate.publicKey, privateKey };
  return { issuer: { commonName: AUTHORITY_COMMON_NAME, keys }, certificate };
}

function parse(authority: Authority): { certificate: X509Certificate; privateKey: KeyObject } {
  try {
    return {
      certificate: new X509Certificate(authority.certificatePem),
      privateKey: createPrivateKey(authority.privateKeyPem),
    };
  } catch (cause) {
    throw new AuthorityError('certificate authority: its certificate or private key is not PEM', { cause });
  }
}
