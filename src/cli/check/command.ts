import type { Readable } from 'node:stream';
import type { Podcheck } from '../../../webhooks/podcheck/podcheck.ts';
import { AccessError } from '../../kube/config.ts';
import { ApiError, TransportError } from '../../kube/errors.ts';
import { ConfigurationError } from '../../platform/configuration-error.ts';
import { checkFiles } from './check-files.ts';
import { GithubReport } from './github-report.ts';
import { JsonlReport } from './jsonl-report.ts';
import { checkLive } from './live.ts';
import { Judging } from './judging.ts';
import { CHECK_USAGE, parseOptions, type CheckOptions } from './options.ts';
import { policyOf } from './policy-file.ts';
import type { Report, Tally } from './report.ts';
import { SarifReport } from './sarif-report.ts';
import { ServerCheck } from './server-check.ts';
import { TextReport } from './text-report.ts';

/** What a run reads, writes and uses. */
export interface CheckSurroundings {
  readonly stdin: Readable;
  readonly stdout: { readonly isTTY?: boolean; write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where several runs share one: starting it takes most of a short run. */
  readonly podcheck?: Podcheck;
}

/** @returns the exit code that the usage text documents @throws UsageError */
export async function check(
  args: readonly string[],
  surroundings: CheckSurroundings = process,
): Promise<number> {
  const options = parseOptions(args);
  if (options === undefined) {
    surroundings.stdout.write(`${CHECK_USAGE}\n`);
    return 0;
  }
  try {
    const tally = await run(options, surroundings);
    if (tally.unreadable > 0 || tally.incomplete) return 2;
    return tally.refused > 0 ? 1 : 0;
  } catch (error) {
    if (!isExpected(error)) throw error;
    surroundings.stderr.write(`${error.message}\n`);
    return 2;
  }
}

async function run(options: CheckOptions, surroundings: CheckSurroundings): Promise<Tally> {
  const policy = await policyOf(options.policyFile);
  const report = reportOf(options, surroundings);
  await using judging = new Judging(policy, surroundings.podcheck);
  let tally: Tally;
  if (options.mode === 'live') {
    tally = await checkLive(options, { judging, report, env: surroundings.env });
  } else {
    await using server =
      options.mode === 'server' ? await ServerCheck.connect(options.cluster, surroundings.env) : undefined;
    tally = await checkFiles(options, { judging, report, server, stdin: surroundings.stdin });
  }
  report.end(tally);
  return tally;
}

function reportOf({ output }: CheckOptions, { stdout, stderr, env }: CheckSurroundings): Report {
  const write = (line: string): void => {
    stdout.write(`${line}\n`);
  };
  const writeError = (line: string): void => {
    stderr.write(`${line}\n`);
  };
  switch (output) {
    case 'jsonl':
      return new JsonlReport({ write, writeError });
    case 'github':
      return new GithubReport(write);
    case 'sarif':
      return new SarifReport(write);
    case 'text':
      return new TextReport({ write, colour: wantsColour(env, stdout.isTTY === true) });
  }
}

/** As no-color.org and force-color.org have it; empty values count as not set. */
function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  return forced ? forced !== '0' && forced !== 'false' : isTerminal;
}

function isExpected(error: unknown): error is Error {
  return [ConfigurationError, AccessError, ApiError, TransportError].some((known) => error instanceof known);
}
