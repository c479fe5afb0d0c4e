import { connect } from 'node:tls';
import type { Clock } from '../src/platform/clock.ts';
import type { LeafKeeper } from './certificate.ts';

interface Target {
  readonly port: number;
  readonly leaf: Pick<LeafKeeper, 'authority'>;
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
  target: Target,
  signal: AbortSignal,
  found: (problem: string | undefined) => void,
): Promise<void> {
  while (!signal.aborted) {
    const problem = await dial(target);
    found(problem);
    const delayMs = problem === undefined ? INTERVAL_MS : FIRST_INTERVAL_MS;
    await target.clock.sleep(delayMs, signal).catch(() => undefined);
  }
}

function dial({ port, leaf, dnsName }: Target): Promise<string | undefined> {
  const ca = leaf.authority;
  if (ca === undefined) return Promise.resolve('there is no serving certificate yet');
  return new Promise((resolve) => {
    const socket = connect({ host: 'localhost', port, servername: dnsName, ca, timeout: TIMEOUT_MS });
    const end = (problem: string | undefined): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('secureConnect', () => {
      end(undefined);
    });
    socket.once('timeout', () => {
      end('the own port does not answer');
    });
    socket.once('error', (error) => {
      end(`the own port refuses: ${error.message}`);
    });
  });
}
