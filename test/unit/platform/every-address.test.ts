import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { everyAddress } from '../../../src/platform/every-address.ts';

function loopback(...families: ('IPv4' | 'IPv6')[]): () => NodeJS.Dict<NetworkInterfaceInfo[]> {
  return () => ({ lo: families.map((family) => ({ family }) as NetworkInterfaceInfo) });
}

test('with IPv6 it is ::, which takes IPv4 in', () => {
  expect(everyAddress(loopback('IPv4', 'IPv6'))).toBe('::');
});

test('where IPv6 is switched off it is 0.0.0.0', () => {
  expect(everyAddress(loopback('IPv4'))).toBe('0.0.0.0');
});
