import { networkInterfaces } from 'node:os';

/**
 * The address that stands for all of this machine's: `::`, which serves IPv4 too, or `0.0.0.0` where IPv6 is switched
 * off and `::` could not be listened on.
 */
export function everyAddress(interfaces: typeof networkInterfaces = networkInterfaces): '::' | '0.0.0.0' {
  const addresses = Object.values(interfaces()).flatMap((list) => list ?? []);
  return addresses.some(({ family }) => family === 'IPv6') ? '::' : '0.0.0.0';
}
