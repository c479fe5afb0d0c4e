import { once } from 'node:events';
import { connect } from 'node:tls';
import type { Clock } from '../src/platform/clock.ts';
import type { LeafSource } from './certificate-source.ts';

export interface DialTarget {
  /** Where the server was told to listen; `::` and `0.0.0.0` are dialled on the loopback interface. */
  readonly address: { readonly host: string; readonly port: number };
  readonly leaf: Pick<LeafSource, 'authority'>;
  /** The name that the API server asks for. */
  readonly dnsName: string;
  readonly clock: Clock;
}

const INTERVAL_MS = 10_000;
/** While something is missing, somebody waits for it. */
const FIRST_INTERVAL_MS = 100;
const TIMEOUT_MS = 5_000;

/**
 * Does what the API server does: opens a TLS connection by the Service's name, trusting the authority alone. So a
 * replica is ready only when a call would really get through.
 * @param found told after each attempt what is missing; undefined where nothing is
 */
export async function dialOurselves(
  target: DialTarget,
  signal: AbortSignal,
  found: (problem: string | undefined) => void,
): Promise<void> {
  while (!signal.aborted) {
    const problem = await dial(target, signal);
    found(problem);
    const delayMs = problem === undefined ? INTERVAL_MS : FIRST_INTERVAL_MS;
    await target.clock.sleep(delayMs, signal).catch(() => undefined);
  }
}

async function dial(
  { address, leaf, dnsName }: DialTarget,
  signal: AbortSignal,
): Promise<string | undefined> {
  const ca = leaf.authority;
  if (ca === undefined) return 'there is no serving certificate yet';
  const host = address.host === '::' || address.host === '0.0.0.0' ? 'localhost' : address.host;
  // Of a given certificate perhaps nothing but itself, or its intermediate authority, is known.
  const trust = { ca, allowPartialTrustChain: true };
  const socket = connect({ host, port: address.port, servername: dnsName, ...trust });
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    await once(socket, 'secureConnect', { signal: deadline });
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return deadline.aborted ? 'the own port does not answer' : `the own port refuses: ${message}`;
  } finally {
    socket.destroy();
  }
}
