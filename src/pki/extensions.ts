import {
  boolean,
  contextPrimitive,
  type DerNode,
  namedBits,
  objectIdentifier,
  octetString,
  sequence,
  toDer,
  unsignedInteger,
} from './der.ts';

export type ExtendedKeyUsage = 'serverAuth' | 'clientAuth';

const EXTENDED_KEY_USAGE_OIDS = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const satisfies Record<ExtendedKeyUsage, string>;

/** Bit numbers of RFC 5280 section 4.2.1.3. */
const KEY_USAGE_BITS = { digitalSignature: 0, keyEncipherment: 2, keyCertSign: 5, cRLSign: 6 } as const;
const DNS_NAME_TAG = 2;
const KEY_IDENTIFIER_TAG = 0;

interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: DerNode;
}

export interface ExtensionInput {
  readonly isCa: boolean;
  /** A key that also encrypts (RSA), for key exchange in TLS 1.2. */
  readonly encryptsKeys: boolean;
  readonly extendedKeyUsage: readonly ExtendedKeyUsage[];
  readonly dnsNames: readonly string[];
  readonly subjectKeyId: Uint8Array;
  readonly authorityKeyId: Uint8Array;
}

/**
 * The extensions of a certificate that strict verifiers (OpenSSL's `-x509_strict`, Python's `VERIFY_X509_STRICT`)
 * accept, as an X.509 `Extensions` sequence.
 * @throws RangeError for a DNS name that is empty or not ASCII
 */
export function extensions(input: ExtensionInput): DerNode {
  const list: Extension[] = [
    { oid: '2.5.29.19', critical: true, value: basicConstraints(input.isCa) },
    { oid: '2.5.29.15', critical: true, value: keyUsage(input) },
  ];
  if (input.extendedKeyUsage.length > 0) {
    const purposes = input.extendedKeyUsage.map((usage) => objectIdentifier(EXTENDED_KEY_USAGE_OIDS[usage]));
    list.push({ oid: '2.5.29.37', critical: false, value: sequence(...purposes) });
  }
  if (input.dnsNames.length > 0) {
    list.push({ oid: '2.5.29.17', critical: false, value: sequence(...input.dnsNames.map(dnsName)) });
  }
  const authority = sequence(contextPrimitive(KEY_IDENTIFIER_TAG, input.authorityKeyId));
  list.push(
    { oid: '2.5.29.14', critical: false, value: octetString(input.subjectKeyId) },
    { oid: '2.5.29.35', critical: false, value: authority },
  );
  return sequence(...list.map(extension));
}

function extension({ oid, critical, value }: Extension): DerNode {
  const content = octetString(toDer(value));
  // DER leaves a default out, and `critical` is false by default.
  return critical
    ? sequence(objectIdentifier(oid), boolean(true), content)
    : sequence(objectIdentifier(oid), content);
}

/** Every CA of ours signs leaves only, so its path length is 0. */
function basicConstraints(isCa: boolean): DerNode {
  return isCa ? sequence(boolean(true), unsignedInteger(Uint8Array.of(0))) : sequence();
}

function keyUsage({ isCa, encryptsKeys, extendedKeyUsage }: ExtensionInput): DerNode {
  const { digitalSignature, keyEncipherment, keyCertSign, cRLSign } = KEY_USAGE_BITS;
  const bits: number[] = [];
  if (!isCa || extendedKeyUsage.length > 0) {
    bits.push(digitalSignature);
    if (encryptsKeys) bits.push(keyEncipherment);
  }
  if (isCa) bits.push(keyCertSign, cRLSign);
  return namedBits(bits);
}

function dnsName(name: string): DerNode {
  // IA5String has no character beyond ASCII; an internationalised name has its ASCII form (xn--).
  if (!/^[\x21-\x7e]+$/.test(name)) {
    throw new RangeError(`subject alternative name ${JSON.stringify(name)}: must be printable ASCII`);
  }
  return contextPrimitive(DNS_NAME_TAG, Buffer.from(name, 'ascii'));
}
