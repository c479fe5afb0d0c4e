import fc, { type IRawProperty } from 'fast-check';

/** How long each target is tried: a few seconds at every change, minutes by `npm run fuzz`. */
export const FUZZ_SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 10);

/**
 * Tries a property on as many inputs as the time allows. A failure names seed and path; with FUZZ_SEED and FUZZ_PATH
 * set to them the same input is tried again.
 */
export async function fuzz<T>(target: string, property: IRawProperty<T>): Promise<void> {
  const { FUZZ_SEED: seed, FUZZ_PATH: path } = process.env;
  const details = await fc.check(property, {
    numRuns: Number.MAX_SAFE_INTEGER,
    plugins: [fc.interruptAfterTimeLimit(FUZZ_SECONDS * 1_000)],
    ...(seed !== undefined && { seed: Number(seed) }),
    ...(path !== undefined && { path }),
  });
  console.log(`${target}: ${details.numRuns} inputs in ${FUZZ_SECONDS} s, seed ${details.seed}`);
  if (details.failed) throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
}

/** Of the processor: the clock of a busy machine proves nothing. */
export function cpuMs(before?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
