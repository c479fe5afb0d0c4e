import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MANIFESTS } from '../support/manifests.ts';
import { runCheck, sharePodcheck } from '../support/run-check.ts';
import { cpuMs, fuzz } from './fuzz.ts';
import { mutatedText } from './hostile-text.ts';

/** For a text of up to 200 KB, and what the other threads of the process do meanwhile. */
const BUDGET_MS = 5_000;

const TEXT: unknown = expect.any(String);
const NUMBER: unknown = expect.any(Number);
const LEVEL: unknown = expect.stringMatching(/^(error|warning)$/);
const RULE: unknown = expect.stringMatching(/^[a-z-]+$/);
const FINDING = { level: LEVEL, path: TEXT, rule: RULE, message: TEXT, line: NUMBER, column: NUMBER };

interface Line {
  readonly verdict: 'allow' | 'deny';
  readonly findings: readonly { readonly level: string; readonly rule: string; readonly path: string }[];
}

/** As the usage text has it. */
function expectedCode(lines: readonly Line[]): number {
  if (lines.some(({ findings }) => findings.some(({ rule }) => rule === 'unreadable'))) return 2;
  return lines.some(({ verdict }) => verdict === 'deny') ? 1 : 0;
}

sharePodcheck();

it('of any text `daskwarden check` says a line of JSON for each document, and how it went', async () => {
  const texts = mutatedText(MANIFESTS.map(({ text }) => text));
  const property = fc.asyncProperty(texts, async (text) => {
    const before = process.cpuUsage();
    const { code, lines, errors } = await runCheck(['--output', 'jsonl', '-'], { stdin: text });
    expect(cpuMs(before)).toBeLessThan(BUDGET_MS);
    expect(errors).toEqual([]);
    const told = lines.map((line) => JSON.parse(line) as Line);
    for (const line of told) {
      const findings = line.findings.map(() => FINDING);
      const verdict = line.findings.some(({ level }) => level === 'error') ? 'deny' : 'allow';
      expect(line).toEqual({ file: '<stdin>', line: NUMBER, namespace: TEXT, name: TEXT, verdict, findings });
    }
    expect(code).toBe(expectedCode(told));
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
  await fuzz('daskwarden check', property);
});
