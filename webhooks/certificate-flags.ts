import { FlagError } from '../src/platform/flags.ts';

/** To be spread into the options of `parseFlags`. */
export const CERTIFICATE_FLAGS = {
  'tls-mode': { type: 'string', default: 'self' },
  'tls-cert-dir': { type: 'string' },
} as const;

export const CERTIFICATE_USAGE = `\
  --tls-mode self|secret      self: a certificate of the authority that the controller keeps; secret: the one in
                              --tls-cert-dir, by cert-manager or whoever else renews it (default: self)
  --tls-cert-dir DIR          where a Secret with tls.crt, tls.key and perhaps ca.crt is mounted`;

export type CertificateMode =
  { readonly kind: 'self' } | { readonly kind: 'secret'; readonly directory: string };

/** @throws FlagError */
export function certificateByFlags(values: {
  readonly 'tls-mode': string;
  readonly 'tls-cert-dir'?: string | undefined;
}): CertificateMode {
  const { 'tls-mode': mode, 'tls-cert-dir': directory } = values;
  switch (mode) {
    case 'self':
      if (directory !== undefined) throw new FlagError('--tls-cert-dir: goes with --tls-mode secret alone');
      return { kind: 'self' };
    case 'secret':
      if (directory === undefined || directory === '')
        throw new FlagError('--tls-cert-dir: must be given with --tls-mode secret');
      return { kind: 'secret', directory };
    default:
      throw new FlagError(`--tls-mode: must be self or secret, not '${mode}'`);
  }
}
