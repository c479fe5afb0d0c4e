import { Readable } from 'node:stream';
import { afterAll, beforeAll } from 'vitest';
import { check } from '../../src/cli/check/command.ts';

import { Podcheck } from '../../webhooks/podcheck/podcheck.ts';

export interface Run {
  readonly code: number;
  readonly lines: readonly string[];
  readonly errors: readonly string[];
}

export interface Surroundings {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTTY?: boolean;
}

let podcheck: Podcheck;

/** One for all runs of a file; its start takes most of a second. */
export function sharePodcheck(): void {
  beforeAll(async () => {
    podcheck = new Podcheck({ timeoutMs: 30_000, longestWaitMs: 60_000 });
    await podcheck.check([{ pod: '{}' }], '');
  }, 60_000);
  afterAll(() => podcheck.close());
}

/** One run of `daskwarden check` in this process. */
export async function runCheck(
  args: readonly string[],
  { stdin = '', env = {}, isTTY = false }: Surroundings = {},
): Promise<Run> {
  const out: string[] = [];
  const errors: string[] = [];
  const code = await check(args, {
    stdin: Readable.from([stdin]),
    stdout: { isTTY, write: (text) => out.push(text) },
    stderr: { write: (text) => errors.push(text) },
    env,
    podcheck,
  });
  const linesOf = (texts: readonly string[]): readonly string[] => texts.join('').split('\n').slice(0, -1);
  return { code, lines: linesOf(out), errors: linesOf(errors) };
}
