import { expect, it } from 'vitest';
import { certificateByFlags } from '../../../webhooks/certificate-flags.ts';

it.each([
  [{ 'tls-mode': 'self' }, { kind: 'self' }],
  [
    { 'tls-mode': 'secret', 'tls-cert-dir': '/certs' },
    { kind: 'secret', directory: '/certs' },
  ],
])('%j', (flags, expected) => {
  expect(certificateByFlags(flags)).toEqual(expected);
});

it.each([
  [{ 'tls-mode': 'cert-manager' }, "--tls-mode: must be self or secret, not 'cert-manager'"],
  [{ 'tls-mode': 'secret' }, '--tls-cert-dir: must be given with --tls-mode secret'],
  [{ 'tls-mode': 'secret', 'tls-cert-dir': '' }, '--tls-cert-dir: must be given with --tls-mode secret'],
  [{ 'tls-mode': 'self', 'tls-cert-dir': '/certs' }, '--tls-cert-dir: goes with --tls-mode secret alone'],
])('%j is refused', (flags, message) => {
  expect(() => certificateByFlags(flags)).toThrow(message);
});
