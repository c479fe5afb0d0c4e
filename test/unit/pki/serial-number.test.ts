import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSerialNumber } from '../../../src/pki/serial-number.ts';

test('whatever the source gives, the serial number is positive and has 16 octets', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const serial = createSerialNumber(() => bytes);
      expect(serial).toHaveLength(16);
      // As DER reads it: the top bit is the sign, and a first octet of 0 would be cut off.
      expect(serial[0]).toBeGreaterThan(0);
      expect(serial[0]).toBeLessThan(0x80);
    }),
  );
});

test('it keeps the random bits and leaves the bytes of the source alone', () => {
  const bytes = Uint8Array.from({ length: 16 }, () => 0xff);
  const serial = createSerialNumber((size) => bytes.subarray(0, size));
  expect(Buffer.from(serial).toString('hex')).toBe(`7f${'ff'.repeat(15)}`);
  expect(bytes[0]).toBe(0xff);
});
