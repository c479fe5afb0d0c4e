import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** The kernel's unit of processor time in /proc: 1/100 s on every Linux. */
const TICK_MICROSECONDS = 10_000;

export interface Target {
  readonly pid: number;
  readonly port: number;
  readonly mutatePath: string;
  readonly validatePath: string;
}

export interface Load {
  /** One review a line. */
  readonly reviews: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

export interface Measured {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server's process, all threads. */
  readonly cpuMicrosecondsPerRequest: number;
}

/**
 * Loads a server from the second processor.
 * @param folder for the reviews and for wrk's TLS settings
 * @throws Error where a request failed
 */
export async function measure(target: Target, load: Load, folder: string): Promise<Measured> {
  const reviews = join(folder, 'reviews.jsonl');
  await writeFile(reviews, `${load.reviews.join('\n')}\n`);
  const before = await cpuMicroseconds(target.pid);
  const { stdout } = await run(
    'taskset',
    [
      '-c',
      '1',
      'wrk',
      '--threads=1',
      `--connections=${String(load.connections)}`,
      `--duration=${String(load.seconds)}s`,
      `--script=${join(import.meta.dirname, 'load.lua')}`,
      `https://127.0.0.1:${String(target.port)}`,
      '--',
      reviews,
      target.mutatePath,
      target.validatePath,
    ],
    { env: { ...process.env, OPENSSL_CONF: await tlsSettings(folder) } },
  );
  const cpu = (await cpuMicroseconds(target.pid)) - before;
  const line = stdout.split('\n').find((text) => text.startsWith('{'));
  if (line === undefined) throw new Error(`wrk reported nothing:\n${stdout}`);
  const { requests, microseconds, failed, p50, p99 } = JSON.parse(line) as Record<string, number>;
  if (failed !== 0 || !requests || !microseconds)
    throw new Error(`${String(failed)} of ${String(requests)} requests failed:\n${stdout}`);
  return {
    requestsPerSecond: requests / (microseconds / 1e6),
    p50Ms: (p50 ?? 0) / 1000,
    p99Ms: (p99 ?? 0) / 1000,
    cpuMicrosecondsPerRequest: cpu / requests,
  };
}

/** wrk offers one suite, that which the API server's Go would take first, so that both servers use it. */
async function tlsSettings(folder: string): Promise<string> {
  const path = join(folder, 'openssl.cnf');
  const text = [
    'openssl_conf = defaults',
    '[defaults]',
    'ssl_conf = ssl',
    '[ssl]',
    'system_default = tls',
    '[tls]',
    'MinProtocol = TLSv1.3',
    'Ciphersuites = TLS_AES_128_GCM_SHA256',
  ].join('\n');
  await writeFile(path, `${text}\n`);
  return path;
}

async function cpuMicroseconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8');
  // The second field is the program's name, which may have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS;
}

/** Binds a process with all its threads to the first processor. */
export async function pin(pid: number): Promise<void> {
  await run('taskset', ['--all-tasks', '--cpu-list', '--pid', '0', String(pid)]);
}
