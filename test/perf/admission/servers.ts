import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createAuthority, issueLeaf } from '../../../src/pki/authority.ts';
import { freePort } from '../../../src/control-plane/free-port.ts';

export interface Baseline {
  readonly pid: number;
  readonly port: number;
  readonly caPem: string;
  readonly stop: () => Promise<void>;
}

const START_TIMEOUT_MS = 10_000;

/** The Go webhook on one processor. @param binary of test/oracle */
export async function startBaseline(binary: string, folder: string, dnsName: string): Promise<Baseline> {
  const nowMs = Date.now();
  const authority = await createAuthority({ nowMs, randomBytes });
  const leaf = await issueLeaf({ authority, dnsNames: [dnsName], nowMs, randomBytes });
  const [cert, key] = [join(folder, 'baseline.crt'), join(folder, 'baseline.key')];
  await Promise.all([
    writeFile(cert, leaf.certificatePem),
    writeFile(key, leaf.privateKeyPem, { mode: 0o600 }),
  ]);
  const port = await freePort();
  const args = ['serve', '-addr', `127.0.0.1:${String(port)}`, '-cert', cert, '-key', key];
  const child = spawn(binary, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    // The same protocol to both: to a Service the API server speaks HTTP/1.1.
    env: { GOMAXPROCS: '1', GODEBUG: 'http2server=0' },
  });
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill();
    await exited;
  };
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await accepts(port))) {
    if (performance.now() > deadline || child.pid === undefined || child.exitCode !== null) {
      await stop();
      throw new Error(`the baseline does not listen on port ${String(port)}`);
    }
    await delay(20);
  }
  return { pid: child.pid ?? 0, port, caPem: authority.certificatePem, stop };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
