/** A source of `size` unpredictable bytes, such as `randomBytes` of `node:crypto`. */
export type RandomBytes = (size: number) => Uint8Array;

const SERIAL_OCTETS = 16;

/**
 * A certificate serial number: 16 octets, big-endian, positive whatever the source gives, with 126 random bits.
 * Its length is the same for every draw, so a certificate's size does not depend on chance.
 */
export function createSerialNumber(randomBytes: RandomBytes): Uint8Array {
  const serial = Uint8Array.from(randomBytes(SERIAL_OCTETS));
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial;
}
