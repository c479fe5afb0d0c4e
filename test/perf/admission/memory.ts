import { readFile } from 'node:fs/promises';
import type { Ratio } from './direct.ts';

const MOST_MEGABYTES = 320;

/** What a process has resident now, and had at most, as the kernel counts it. */
export async function memoryOf(pid: number): Promise<Ratio> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  const megabytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? NaN) / 1024;
  const parts = ['VmRSS', 'RssAnon', 'RssFile', 'VmHWM'].map(
    (field) => `${field} ${megabytes(field).toFixed(0)}`,
  );
  console.log(`\nmemory of daskwarden after the load, in MiB: ${parts.join(', ')}`);
  return {
    name: 'MiB at most, with 1,000 clusters',
    value: megabytes('VmHWM'),
    bound: { atMost: MOST_MEGABYTES },
  };
}
