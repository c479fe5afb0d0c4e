export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 };

export function addCounts(one: Counts, other: Counts): Counts {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  };
}

interface Report {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/**
 * What vitest's JSON report counts.
 * @param succeeded whether the run itself did; one that failed without a failed test (a file that does not load, a
 *   setup that throws, an unhandled error) counts as one failure
 */
export function countsOf(report: string, succeeded: boolean): Counts {
  const counts =
    report === ''
      ? NOTHING
      : (JSON.parse(report) as Report).testResults.map(ofFile).reduce(addCounts, NOTHING);
  if (!succeeded && counts.failed === 0) return { ...counts, failed: 1 };
  // A run without a test proves nothing.
  return counts.passed + counts.failed + counts.skipped === 0 ? { ...counts, failed: 1 } : counts;
}

function ofFile(file: Report['testResults'][number]): Counts {
  const count = (...statuses: string[]): number =>
    file.assertionResults.filter(({ status }) => statuses.includes(status)).length;
  return {
    passed: count('passed'),
    failed: count('failed') + (file.status === 'failed' && count('failed') === 0 ? 1 : 0),
    skipped: count('skipped', 'pending', 'todo', 'disabled'),
  };
}

/** `12 passed, 0 failed`, and `, 3 skipped` where any was. */
export function summary({ passed, failed, skipped }: Counts): string {
  const rest = skipped === 0 ? '' : `, ${String(skipped)} skipped`;
  return `${String(passed)} passed, ${String(failed)} failed${rest}`;
}
