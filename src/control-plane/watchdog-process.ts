/**
 * The program of the watchdog: a process of its own that outlives its parent by as long as it takes to clean up.
 * Its standard input is a pipe whose other end only the parent holds, so the end of input means that the parent is
 * gone, however it went (SIGKILL included). Then every guarded process group is killed and every guarded folder
 * removed, but only what is still the very process and the very folder that was announced.
 */
import { rm, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { processIdentity } from './process-identity.ts';
import type { WatchdogMessage } from './watchdog.ts';

const processes = new Map<number, string>();
const folders = new Map<string, string>();

async function folderIdentity(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

async function guard(message: WatchdogMessage): Promise<void> {
  if ('pid' in message) {
    const identity = await processIdentity(message.pid);
    if (identity !== undefined) processes.set(message.pid, identity);
  } else {
    const identity = await folderIdentity(message.folder);
    if (identity !== undefined) folders.set(message.folder, identity);
  }
}

async function cleanUp(): Promise<void> {
  for (const [pid, identity] of processes) {
    if ((await processIdentity(pid)) !== identity) continue;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It ended by itself between the look and the kill.
    }
  }
  for (const [path, identity] of folders) {
    if ((await folderIdentity(path)) !== identity) continue;
    // A killed process may still be writing its last file while the folder is walked.
    await rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

// A terminal that closes, or a service manager that ends everything, must not end the watchdog before its work.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

for await (const line of createInterface({ input: process.stdin })) {
  await guard(JSON.parse(line) as WatchdogMessage);
}
await cleanUp();
