import { createHash, type KeyObject, sign } from 'node:crypto';
import {
  bitString,
  contextConstructed,
  type DerNode,
  fromDer,
  nullValue,
  objectIdentifier,
  sequence,
  set,
  time,
  toDer,
  unsignedInteger,
  utf8String,
} from './der.ts';
import { type ExtendedKeyUsage, extensions } from './extensions.ts';
import type { KeyPair } from './key-pair.ts';

const LONGEST_COMMON_NAME = 64;
const LONGEST_SERIAL_OCTETS = 20;
const COMMON_NAME_OID = '2.5.4.3';
const X509_V3 = 2;

/** Who signs. A self-signed certificate names its own subject and keys. */
export interface Issuer {
  readonly commonName: string;
  readonly keys: KeyPair;
}

export interface CertificateSpec {
  /** At most 64 characters. */
  readonly commonName: string;
  /** Subject alternative names. */
  readonly dnsNames: readonly string[];
  /** Epoch milliseconds, cut to whole seconds. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Big-endian, positive, at most 20 octets once encoded. */
  readonly serial: Uint8Array;
  readonly isCa: boolean;
  /** Empty: for any purpose that the key usage admits. */
  readonly extendedKeyUsage: readonly ExtendedKeyUsage[];
  readonly publicKey: KeyObject;
  readonly issuer: Issuer;
}

/**
 * Makes and signs (SHA-256) an X.509 v3 certificate.
 * @returns PEM
 * @throws RangeError where a name, the serial number or a date does not fit X.509
 */
export function issueCertificate(spec: CertificateSpec): string {
  check(spec);
  const algorithm = signatureAlgorithm(spec.issuer.keys.privateKey);
  const body = tbsCertificate(spec, algorithm);
  const signature = sign('sha256', toDer(body), spec.issuer.keys.privateKey);
  return pem(toDer(sequence(body, algorithm, bitString(signature))));
}

function check(spec: CertificateSpec): void {
  if (spec.commonName === '' || spec.commonName.length > LONGEST_COMMON_NAME) {
    throw new RangeError(`certificate common name: must have 1 to ${LONGEST_COMMON_NAME} characters`);
  }
  if (!(spec.notBeforeMs < spec.notAfterMs)) {
    throw new RangeError(
      `certificate validity: its end (${spec.notAfterMs} ms) must be later than its start (${spec.notBeforeMs} ms)`,
    );
  }
  const first = spec.serial.findIndex((byte) => byte !== 0);
  if (first === -1) throw new RangeError('certificate serial number: must be positive');
  const signOctet = (spec.serial[first] ?? 0) >= 0x80 ? 1 : 0;
  if (spec.serial.length - first + signOctet > LONGEST_SERIAL_OCTETS) {
    throw new RangeError(`certificate serial number: must have at most ${LONGEST_SERIAL_OCTETS} octets`);
  }
}

function tbsCertificate(spec: CertificateSpec, algorithm: DerNode): DerNode {
  return sequence(
    contextConstructed(0, unsignedInteger(Uint8Array.of(X509_V3))),
    unsignedInteger(spec.serial),
    algorithm,
    name(spec.issuer.commonName),
    sequence(time(spec.notBeforeMs), time(spec.notAfterMs)),
    name(spec.commonName),
    fromDer(publicKeyInfo(spec.publicKey)),
    contextConstructed(
      3,
      extensions({
        isCa: spec.isCa,
        encryptsKeys: spec.publicKey.asymmetricKeyType === 'rsa',
        extendedKeyUsage: spec.extendedKeyUsage,
        dnsNames: spec.dnsNames,
        subjectKeyId: keyIdentifier(spec.publicKey),
        authorityKeyId: keyIdentifier(spec.issuer.keys.publicKey),
      }),
    ),
  );
}

function name(commonName: string): DerNode {
  return sequence(set(sequence(objectIdentifier(COMMON_NAME_OID), utf8String(commonName))));
}

function publicKeyInfo(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

/** Method 4 of RFC 7093 section 2: the hash of the SubjectPublicKeyInfo. */
function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha256').update(publicKeyInfo(key)).digest();
}

function signatureAlgorithm(key: KeyObject): DerNode {
  switch (key.asymmetricKeyType) {
    case 'ec':
      return sequence(objectIdentifier('1.2.840.10045.4.3.2'));
    case 'rsa':
      return sequence(objectIdentifier('1.2.840.113549.1.1.11'), nullValue());
    default:
      throw new RangeError(
        `issuer key of type ${String(key.asymmetricKeyType)}: must be an EC or RSA private key`,
      );
  }
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
