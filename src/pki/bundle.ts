import { isAuthorityCertificate } from './authority.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * The certificates of authorities made here that are anywhere in these PEM texts, each once, in order. Whatever else
 * is there is left out. Those that have expired are not: by whose clock is not known, and they do no harm.
 */
export function authoritiesIn(...pems: readonly string[]): readonly string[] {
  const certificates = pems.flatMap((pem) => pem.match(CERTIFICATE) ?? []).map((text) => `${text}\n`);
  return [...new Set(certificates)].filter(isAuthorityCertificate);
}
