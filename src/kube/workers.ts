import type { Logger } from '../platform/logger.ts';
import type { WorkQueue } from './work-queue.ts';

export interface WorkerOptions {
  readonly queue: WorkQueue;
  /** How many keys are worked on at a time. */
  readonly parallelism: number;
  /** Answers after how many ms the key is to be looked at again though nothing changed; undefined: never. */
  readonly handler: (key: string) => Promise<number | undefined>;
  readonly log: Logger;
  /** What the line on a failure says of the key besides. */
  readonly describe?: (key: string) => object;
}

/**
 * Works on the queue until the signal aborts; resolves when the handlers that ran then are finished. A handler that
 * throws delays its own key, longer each time, and no other one.
 */
export async function runWorkers(options: WorkerOptions, signal: AbortSignal): Promise<void> {
  const { queue, parallelism } = options;
  const stop = (): void => void queue.shutDown();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  await Promise.all(Array.from({ length: parallelism }, () => work(options, signal)));
  signal.removeEventListener('abort', stop);
}

async function work({ queue, handler, log, describe }: WorkerOptions, signal: AbortSignal): Promise<void> {
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    try {
      const requeueAfterMs = await handler(key);
      queue.forget(key);
      if (requeueAfterMs !== undefined) queue.addAfter(key, requeueAfterMs);
    } catch (error) {
      const failures = queue.failures(key) + 1;
      const delayMs = queue.retry(key);
      // Whoever stops us makes handlers fail.
      if (!signal.aborted)
        log.warn(
          { err: error, key, ...describe?.(key), failures, delayMs },
          'a key failed and will be tried again',
        );
    } finally {
      queue.done(key);
    }
  }
}
