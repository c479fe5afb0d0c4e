import fc from 'fast-check';
import type { Scheduler } from 'fast-check';
import { expect, test } from 'vitest';
import { WorkQueue } from '../../../src/kube/work-queue.ts';
import { runWorkers } from '../../../src/kube/workers.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/logger.ts';

const log = createLogger({ name: 'test', level: 'error', destination: { write: () => undefined } });

/** A clock whose timers fire in whatever order the scheduler chooses. */
function scheduledClock(scheduler: Scheduler): Clock {
  let ticks = 0;
  return {
    now: () => ++ticks,
    monotonic: () => ++ticks,
    sleep: () => scheduler.schedule(Promise.resolve()),
    after: (_, callback) => {
      let cancelled = false;
      void scheduler.schedule(Promise.resolve(), 'timer').then(() => {
        if (!cancelled) callback();
      });
      return { cancel: () => void (cancelled = true) };
    },
  };
}

const key = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), key }),
  fc.record({ kind: fc.constant('addAfter' as const), key, delayMs: fc.integer({ min: -1, max: 50 }) }),
);

test('no key is in two hands, and every change is seen by a handler that starts after it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(step, { minLength: 1, maxLength: 25 }),
      fc.array(fc.boolean(), { maxLength: 15 }),
      fc.integer({ min: 1, max: 4 }),
      async (scheduler, steps, failures, parallelism) => {
        const queue = new WorkQueue({ clock: scheduledClock(scheduler) });
        const changes = new Map<string, number>();
        const handled = new Map<string, number>();
        const inHand = new Set<string>();
        let violation = '';
        const outcomes = failures[Symbol.iterator]();

        const handler = async (key: string): Promise<undefined> => {
          if (inHand.has(key)) violation = `${key} is in two hands`;
          if (inHand.size >= parallelism) violation = 'more hands than workers';
          inHand.add(key);
          const seen = changes.get(key);
          await scheduler.schedule(Promise.resolve(), `handler ${key}`);
          inHand.delete(key);
          if (outcomes.next().value === true) throw new Error('failed');
          handled.set(key, seen ?? 0);
        };

        const abort = new AbortController();
        const working = runWorkers({ queue, parallelism, handler, log }, abort.signal);
        const stepping = scheduler.scheduleSequence(
          steps.map((step) => async () => {
            changes.set(step.key, (changes.get(step.key) ?? 0) + 1);
            if (step.kind === 'add') queue.add(step.key);
            else queue.addAfter(step.key, step.delayMs);
            return Promise.resolve();
          }),
        );
        await scheduler.waitIdle();
        await stepping.task;

        expect(violation).toBe('');
        expect(handled).toEqual(changes);
        expect([queue.depth, queue.inProgress]).toEqual([0, 0]);
        abort.abort();
        await working;
      },
    ),
    { numRuns: 500 },
  );
});
