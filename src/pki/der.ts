import asn1 from 'node-forge/lib/asn1.js';

/** A node of an ASN.1 tree that {@link toDer} can encode. */
export type DerNode = ReturnType<typeof asn1.create>;

const { Class, Type } = asn1;

/** node-forge keeps bytes in strings, one character a byte. */
function byteString(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

function primitive(type: number, content: string): DerNode {
  return asn1.create(Class.UNIVERSAL, type, false, content);
}

export function sequence(...children: DerNode[]): DerNode {
  return asn1.create(Class.UNIVERSAL, Type.SEQUENCE, true, children);
}

export function set(...children: DerNode[]): DerNode {
  return asn1.create(Class.UNIVERSAL, Type.SET, true, children);
}

export function objectIdentifier(dotted: string): DerNode {
  return primitive(Type.OID, asn1.oidToDer(dotted).getBytes());
}

export function boolean(value: boolean): DerNode {
  return primitive(Type.BOOLEAN, value ? '\xff' : '\x00');
}

export function nullValue(): DerNode {
  return primitive(Type.NULL, '');
}

/** A non-negative INTEGER from its big-endian bytes, in the shortest form that is not read as negative. */
export function unsignedInteger(bytes: Uint8Array): DerNode {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first === -1 ? Uint8Array.of(0) : bytes.subarray(first);
  const sign = (digits[0] ?? 0) >= 0x80 ? '\x00' : '';
  return primitive(Type.INTEGER, sign + byteString(digits));
}

export function octetString(bytes: Uint8Array): DerNode {
  return primitive(Type.OCTETSTRING, byteString(bytes));
}

/** A BIT STRING of whole octets, such as a signature. */
export function bitString(bytes: Uint8Array): DerNode {
  return primitive(Type.BITSTRING, '\x00' + byteString(bytes));
}

/** A BIT STRING in which each number names a set bit (at most bit 7); DER wants trailing zero bits cut off. */
export function namedBits(bits: readonly number[]): DerNode {
  const last = Math.max(...bits);
  const octet = bits.reduce((value, bit) => value | (0x80 >> bit), 0);
  return primitive(Type.BITSTRING, String.fromCharCode(7 - last, octet));
}

export function utf8String(text: string): DerNode {
  return primitive(Type.UTF8, byteString(Buffer.from(text, 'utf8')));
}

/** A primitive under a context-specific tag, as GeneralName and AuthorityKeyIdentifier use it. */
export function contextPrimitive(tag: number, bytes: Uint8Array): DerNode {
  return asn1.create(Class.CONTEXT_SPECIFIC, tag, false, byteString(bytes));
}

export function contextConstructed(tag: number, child: DerNode): DerNode {
  return asn1.create(Class.CONTEXT_SPECIFIC, tag, true, [child]);
}

const FIRST_UTC_YEAR = 1950;
const FIRST_GENERALIZED_YEAR = 2050;
const LAST_YEAR = 9999;

/**
 * A Time as RFC 5280 section 4.1.2.5 wants it: UTCTime through 2049, GeneralizedTime from 2050.
 * @param epochMs cut to whole seconds
 * @throws RangeError outside the years 1950 to 9999
 */
export function time(epochMs: number): DerNode {
  const date = new Date(epochMs);
  const year = date.getUTCFullYear();
  if (!(year >= FIRST_UTC_YEAR && year <= LAST_YEAR)) {
    throw new RangeError(`certificate time ${String(epochMs)} ms: must be in the years 1950 to 9999`);
  }
  if (year < FIRST_GENERALIZED_YEAR) return primitive(Type.UTCTIME, asn1.dateToUtcTime(date));
  return primitive(Type.GENERALIZEDTIME, asn1.dateToGeneralizedTime(date));
}

export function fromDer(bytes: Uint8Array): DerNode {
  return asn1.fromDer(byteString(bytes));
}

export function toDer(node: DerNode): Buffer {
  return Buffer.from(asn1.toDer(node).getBytes(), 'latin1');
}
