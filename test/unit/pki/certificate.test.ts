import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import forge from 'node-forge';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CertificateSpec, issueCertificate } from '../../../src/pki/certificate.ts';
import { generateKeyPair, type KeyPair } from '../../../src/pki/key-pair.ts';

let ec: KeyPair;
let rsa: KeyPair;

beforeAll(async () => {
  [ec, rsa] = await Promise.all([generateKeyPair('P-256'), generateKeyPair('RSA-2048')]);
});

function issue(changes: Partial<CertificateSpec> = {}, keys: KeyPair = ec): X509Certificate {
  const pem = issueCertificate({
    commonName: 'subject',
    dnsNames: ['one', 'two.example'],
    notBeforeMs: Date.UTC(2026, 0, 2, 3, 4, 5),
    notAfterMs: Date.UTC(2027, 0, 2, 3, 4, 5),
    serial: Uint8Array.of(1, 2, 3),
    isCa: false,
    extendedKeyUsage: ['serverAuth', 'clientAuth'],
    publicKey: keys.publicKey,
    issuer: { commonName: 'issuer', keys },
    ...changes,
  });
  return new X509Certificate(pem);
}

describe.each(['P-256', 'RSA-2048'] as const)('a certificate for a %s key', (type) => {
  test('says what it was asked to say, and its issuer signed it', () => {
    const keys = type === 'P-256' ? ec : rsa;
    const certificate = issue({}, keys);
    expect(certificate.subject).toBe('CN=subject');
    expect(certificate.issuer).toBe('CN=issuer');
    expect(certificate.subjectAltName).toBe('DNS:one, DNS:two.example');
    expect(certificate.serialNumber).toBe('010203');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
    expect(certificate.ca).toBe(false);
    expect(certificate.verify(keys.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(keys.privateKey)).toBe(true);
  });
});

test('node-forge reads it back: version 3, extensions and their criticality', () => {
  const certificate = forge.pki.certificateFromPem(issue({ isCa: true }, rsa).toString());
  expect(certificate.version).toBe(2);
  expect(certificate.signatureOid).toBe('1.2.840.113549.1.1.11');
  expect(certificate.getExtension('basicConstraints')).toMatchObject({
    critical: true,
    cA: true,
    pathLenConstraint: 0,
  });
  expect(certificate.getExtension('keyUsage')).toMatchObject({
    critical: true,
    digitalSignature: true,
    keyEncipherment: true,
    keyCertSign: true,
    cRLSign: true,
    dataEncipherment: false,
  });
  expect(certificate.getExtension('subjectAltName')).toMatchObject({ critical: false });
  expect(certificate.getExtension('subjectKeyIdentifier')).not.toBeNull();
  expect(certificate.getExtension('authorityKeyIdentifier')).not.toBeNull();
});

describe('key usage', () => {
  function keyUsage(changes: Partial<CertificateSpec>, keys: KeyPair): string[] {
    const { body } = readExtension(issue(changes, keys), '2.5.29.15');
    const [unusedBits, octet] = [body.charCodeAt(2), body.charCodeAt(3)];
    const names = ['digitalSignature', '', 'keyEncipherment', '', '', 'keyCertSign', 'cRLSign'];
    // DER: the last bit that counts is set.
    expect((octet >> unusedBits) & 1).toBe(1);
    return names.filter((_name, bit) => (octet & (0x80 >> bit)) !== 0);
  }

  test('an EC leaf signs handshakes', () => {
    expect(keyUsage({}, ec)).toEqual(['digitalSignature']);
  });
  test('an RSA leaf also takes part in RSA key exchange', () => {
    expect(keyUsage({}, rsa)).toEqual(['digitalSignature', 'keyEncipherment']);
  });
  test('a CA that is nothing else signs certificates only', () => {
    expect(keyUsage({ isCa: true, extendedKeyUsage: [] }, ec)).toEqual(['keyCertSign', 'cRLSign']);
  });
  test('a CA that is a server too does both', () => {
    expect(keyUsage({ isCa: true }, ec)).toEqual(['digitalSignature', 'keyCertSign', 'cRLSign']);
  });
});

describe('validity', () => {
  test.each([
    ['the last second of UTCTime', Date.UTC(2049, 11, 31, 23, 59, 59), 'UTCTIME', '491231235959Z'],
    ['the first of GeneralizedTime', Date.UTC(2050, 0, 1), 'GENERALIZEDTIME', '20500101000000Z'],
    ['the last of X.509', Date.UTC(9999, 11, 31, 23, 59, 59), 'GENERALIZEDTIME', '99991231235959Z'],
    ['parts of a second are cut off', Date.UTC(2030, 4, 6, 7, 8, 9, 999), 'UTCTIME', '300506070809Z'],
  ] as const)('%s', (_name, notAfterMs, type, text) => {
    const certificate = issue({ notAfterMs });
    const notAfter = readValidity(certificate)[1];
    expect(notAfter).toEqual({ type: forge.asn1.Type[type], text });
    expect(certificate.validToDate.getTime()).toBe(Math.floor(notAfterMs / 1000) * 1000);
  });

  test('both ends may lie beyond 2050', () => {
    const [notBefore, notAfter] = readValidity(
      issue({ notBeforeMs: Date.UTC(2051, 0, 1), notAfterMs: Date.UTC(2052, 0, 1) }),
    );
    expect(notBefore?.text).toBe('20510101000000Z');
    expect(notAfter?.text).toBe('20520101000000Z');
  });
});

describe('serial number', () => {
  test('any positive number of at most 20 octets comes back', () => {
    const serials = fc
      .uint8Array({ minLength: 1, maxLength: 20 })
      .filter((bytes) => bytes.some((byte) => byte !== 0) && !(bytes.length === 20 && bytes[0]! >= 0x80));
    fc.assert(
      fc.property(serials, (serial) => {
        const encoded = BigInt(`0x${issue({ serial }).serialNumber}`);
        expect(encoded).toBe(BigInt(`0x${Buffer.from(serial).toString('hex')}`));
      }),
      { numRuns: 50 },
    );
  });
  test.each([
    ['zero', new Uint8Array(16), 'must be positive'],
    ['nothing', new Uint8Array(0), 'must be positive'],
    ['21 octets', new Uint8Array(21).fill(1), 'at most 20 octets'],
    ['20 octets that need a sign octet', new Uint8Array(20).fill(0xff), 'at most 20 octets'],
  ])('%s is refused', (_name, serial, message) => {
    expect(() => issue({ serial })).toThrow(message);
  });
});

describe('what X.509 cannot say is refused', () => {
  test.each([
    ['an end before the start', { notAfterMs: Date.UTC(2020, 0, 1) }, 'must be later than its start'],
    ['no date', { notAfterMs: Number.NaN }, 'must be later than its start'],
    ['the year 10000', { notAfterMs: Date.UTC(10000, 0, 1) }, 'years 1950 to 9999'],
    ['the year 1949', { notBeforeMs: Date.UTC(1949, 0, 1) }, 'years 1950 to 9999'],
    ['no name', { commonName: '' }, '1 to 64 characters'],
    ['a long name', { commonName: 'x'.repeat(65) }, '1 to 64 characters'],
    ['a DNS name that is not ASCII', { dnsNames: ['bücher'] }, 'must be printable ASCII'],
    ['an empty DNS name', { dnsNames: [''] }, 'must be printable ASCII'],
  ])('%s', (_name, changes, message) => {
    expect(() => issue(changes)).toThrow(message);
    expect(() => issue(changes)).toThrow(RangeError);
  });
});

/** The certificate as node-forge's ASN.1; for an EC key node-forge can read no more than that. */
function tbs(certificate: X509Certificate): forge.asn1.Asn1[] {
  const tree = forge.asn1.fromDer(certificate.raw.toString('latin1'));
  return children(children(tree)[0]!);
}

function children(node: forge.asn1.Asn1): forge.asn1.Asn1[] {
  return node.value as forge.asn1.Asn1[];
}

function readValidity(certificate: X509Certificate): { type: number; text: unknown }[] {
  return children(tbs(certificate)[4]!).map((node) => ({ type: node.type, text: node.value }));
}

function readExtension(certificate: X509Certificate, oid: string): { body: string } {
  const extensions = children(children(tbs(certificate)[7]!)[0]!).map(children);
  const found = extensions.find((parts) => forge.asn1.derToOid(parts[0]!.value as string) === oid);
  return { body: found!.at(-1)!.value as string };
}
