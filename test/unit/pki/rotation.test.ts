import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { issueCertificate } from '../../../src/pki/certificate.ts';
import { generateKeyPair } from '../../../src/pki/key-pair.ts';
import { rotationDue } from '../../../src/pki/rotation.ts';
import { createSerialNumber } from '../../../src/pki/serial-number.ts';

const START_MS = Date.UTC(2030, 0, 1);
const LIFE_MS = 9_000_000;

describe('a certificate with 9,000 s of life', () => {
  let certificatePem: string;

  beforeAll(async () => {
    const keys = await generateKeyPair('P-256');
    certificatePem = issueCertificate({
      commonName: 'rotated',
      dnsNames: ['rotated'],
      notBeforeMs: START_MS,
      notAfterMs: START_MS + LIFE_MS,
      serial: createSerialNumber(randomBytes),
      isCa: false,
      extendedKeyUsage: ['serverAuth'],
      publicKey: keys.publicKey,
      issuer: { commonName: 'rotated', keys },
    });
  });

  test.each([
    ['a second before its start', -1_000, { due: true, reason: 'NotYetValid' }],
    ['at its start', 0, { due: false, dueAtMs: START_MS + 6_000_000 }],
    ['just before two thirds', 5_999_999, { due: false, dueAtMs: START_MS + 6_000_000 }],
    ['at two thirds', 6_000_000, { due: true, reason: 'TwoThirdsOfLife' }],
    ['just before its end', 8_999_999, { due: true, reason: 'TwoThirdsOfLife' }],
    ['at its end', 9_000_000, { due: true, reason: 'Expired' }],
  ])('%s', (_when, sinceStartMs, expected) => {
    expect(rotationDue(certificatePem, START_MS + sinceStartMs)).toEqual(expected);
  });
});

test('what is no certificate is an error', () => {
  expect(() => rotationDue('no certificate', START_MS)).toThrow();
});
