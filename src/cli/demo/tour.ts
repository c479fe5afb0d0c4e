import { setTimeout as delay } from 'node:timers/promises';
import { styleText } from 'node:util';
import type { KubectlResult } from '../../control-plane/kubectl.ts';

/** A step did not go as it should; the message says what was expected and what came. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
}

export interface Step {
  readonly title: string;
  run(tour: Tour): Promise<void>;
}

export interface TourOptions {
  readonly kubectl: (
    args: readonly string[],
    options?: { readonly input?: string },
  ) => Promise<KubectlResult>;
  /** Where the tour's clusters live. */
  readonly namespace: string;
  readonly write: (line: string) => void;
  readonly colour: boolean;
  /** How long a state is waited for. */
  readonly timeoutMs: number;
}

const POLL_MS = 50;
const LONGEST_OUTPUT_LINES = 12;

/** What the steps of a guided tour are told with: commands, what came back, and what it means. */
export class Tour {
  readonly namespace: string;
  private readonly options: TourOptions;

  constructor(options: TourOptions) {
    this.options = options;
    this.namespace = options.namespace;
  }

  /** Runs the steps in order and stops at the first that fails. @returns how many went as expected */
  async walk(steps: readonly Step[], signal: AbortSignal): Promise<number> {
    for (const [index, step] of steps.entries()) {
      signal.throwIfAborted();
      this.options.write(`\n${this.paint('bold', `${String(index + 1)}. ${step.title}`)}`);
      try {
        await step.run(this);
      } catch (error) {
        signal.throwIfAborted();
        this.options.write(
          this.paint('red', `   ✗ ${error instanceof Error ? error.message : String(error)}`),
        );
        return index;
      }
    }
    return steps.length;
  }

  /** Shows a command in the tour's namespace, runs it and shows what came back. */
  async kubectl(...args: string[]): Promise<KubectlResult> {
    const words = ['-n', this.namespace, ...args];
    this.options.write(this.paint('cyan', `   $ kubectl ${words.map(shellWord).join(' ')}`));
    const result = await this.options.kubectl(words);
    this.show(`${result.stdout}${result.stderr}`);
    return result;
  }

  /** As {@link kubectl}, for a command that must succeed. @returns what it printed */
  async kubectlOk(...args: string[]): Promise<string> {
    const { code, stdout } = await this.kubectl(...args);
    if (code !== 0) throw new StepFailed(`exit code 0 was expected, not ${String(code)}`);
    return stdout;
  }

  /** Looks, without showing it, until the answer is as expected; then says so. */
  async until(what: string, args: readonly string[], expected: (output: string) => boolean): Promise<string> {
    const startedAt = performance.now();
    let last = '';
    while (performance.now() - startedAt < this.options.timeoutMs) {
      const { stdout, stderr } = await this.options.kubectl(['-n', this.namespace, ...args]);
      last = `${stdout}${stderr}`.trim();
      if (expected(stdout.trim())) {
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
        this.good(`${what} (after ${seconds} s)`);
        return stdout;
      }
      await delay(POLL_MS);
    }
    throw new StepFailed(
      `${what}: not within ${String(this.options.timeoutMs / 1000)} s; the last state was: ${last}`,
    );
  }

  expect(what: string, holds: boolean): void {
    if (!holds) throw new StepFailed(`this was expected, and is not so: ${what}`);
    this.good(what);
  }

  say(line: string): void {
    this.options.write(`   ${line}`);
  }

  private good(what: string): void {
    this.options.write(this.paint('green', `   ✓ ${what}`));
  }

  private show(output: string): void {
    const lines = output
      .trimEnd()
      .split('\n')
      .filter((line) => line !== '');
    for (const line of lines.slice(0, LONGEST_OUTPUT_LINES)) this.options.write(`   ${line}`);
    const more = lines.length - LONGEST_OUTPUT_LINES;
    if (more > 0) this.options.write(`   … and ${String(more)} more lines`);
  }

  private paint(style: 'bold' | 'red' | 'green' | 'cyan', words: string): string {
    return this.options.colour ? styleText(style, words, { validateStream: false }) : words;
  }
}

/** A word as it must be typed in a shell. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
