import { spreadOf, spreadText } from '../statistics.ts';
import { reviewsOf } from './reviews.ts';
import { measure, type Measured, type Target } from './wrk.ts';

/** A ratio of ours to the baseline's that must hold. */
export interface Ratio {
  readonly name: string;
  readonly value: number;
  readonly bound: { readonly atLeast: number } | { readonly atMost: number };
}

export interface Contestants {
  readonly ours: Target;
  readonly baseline: Target;
}

const BODY_BYTES = [2_000, 20_000] as const;
const MIX_CONNECTIONS = 8;
const WARM_UP_SECONDS = 8;
const LONGEST_CREATE_P99_MS = 10;
const MOST_CREATE_CPU = 4;

interface Runs {
  readonly ours: readonly Measured[];
  readonly baseline: readonly Measured[];
}

/** Both servers under the same load, in turns. */
export async function compareDirectly(
  contestants: Contestants,
  { rounds, seconds, folder }: { readonly rounds: number; readonly seconds: number; readonly folder: string },
): Promise<readonly Ratio[]> {
  const ratios: Ratio[] = [];
  for (const bytes of BODY_BYTES) {
    const { mixed, creates } = reviewsOf(bytes);
    const size = `${String(bytes / 1000)} KB`;
    const alternate = async (
      name: string,
      reviews: readonly string[],
      connections: number,
    ): Promise<Runs> => {
      const runs = { ours: [] as Measured[], baseline: [] as Measured[] };
      const load = { reviews, connections, seconds };
      // Both run for weeks: what compilers do in the first seconds is not what is compared.
      for (const target of [contestants.baseline, contestants.ours]) {
        await measure(target, { ...load, seconds: WARM_UP_SECONDS }, folder);
      }
      for (let round = 0; round < rounds; round += 1) {
        runs.baseline.push(await measure(contestants.baseline, load, folder));
        runs.ours.push(await measure(contestants.ours, load, folder));
      }
      report(`${name}, ${size}, ${String(connections)} connections`, runs);
      return runs;
    };
    const mix = await alternate('9 replica patches to 1 create', mixed, MIX_CONNECTIONS);
    const create = await alternate('creates, all different', creates, 1);
    ratios.push(
      {
        name: `requests/s, mix, ${size}`,
        value: ratio(mix, 'requestsPerSecond'),
        bound: { atLeast: 1 },
      },
      { name: `p99, mix, ${size}`, value: ratio(mix, 'p99Ms'), bound: { atMost: 1 } },
      {
        name: `CPU, creates, ${size}`,
        value: ratio(create, 'cpuMicrosecondsPerRequest'),
        bound: { atMost: MOST_CREATE_CPU },
      },
      {
        name: `p99 ms, creates, ${size}`,
        value: spreadOf(create.ours.map(({ p99Ms }) => p99Ms)).median,
        bound: { atMost: LONGEST_CREATE_P99_MS },
      },
    );
  }
  return ratios;
}

function ratio({ ours, baseline }: Runs, measure: keyof Measured): number {
  const median = (runs: readonly Measured[]): number => spreadOf(runs.map((run) => run[measure])).median;
  return median(ours) / median(baseline);
}

function report(name: string, { ours, baseline }: Runs): void {
  console.log(`\n${name}`);
  for (const [who, runs] of [['daskwarden', ours] as const, ['Go baseline', baseline] as const]) {
    const text = (measure: keyof Measured, digits: number): string =>
      spreadText(spreadOf(runs.map((run) => run[measure])), digits);
    console.log(
      `  ${who}: ${text('requestsPerSecond', 0)} requests/s, p50 ${text('p50Ms', 2)} ms, ` +
        `p99 ${text('p99Ms', 2)} ms, CPU ${text('cpuMicrosecondsPerRequest', 0)} µs a request`,
    );
  }
}
