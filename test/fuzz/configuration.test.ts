import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ConfigurationError } from '../../src/platform/configuration-error.ts';
import { parseConfigurationText } from '../../src/platform/read-configuration.ts';
import { policyFromDocument } from '../../src/core/policy/from-document.ts';
import { randomPolicyDocument } from '../support/random-policy.ts';
import { cpuMs, fuzz } from './fuzz.ts';
import { mutatedText } from './hostile-text.ts';

/** Linear: what each character may take, beside what everything takes. */
const BASE_MS = 500;
const MS_PER_CHARACTER = 0.01;

const ORIGINALS = fc
  .sample(randomPolicyDocument, { numRuns: 50, seed: 1 })
  .map((document) => stringify(document));
const repeated = (text: (index: number) => string, count: number): string =>
  Array.from({ length: count }, (_, index) => text(index)).join('');

/** The many of what the configuration may have many of. */
const many = fc.tuple(
  fc.constantFrom<(index: number) => string>(
    (index) => `  - {name: n${index}, action: Allow, namespaces: ["*"]}\n`,
    () => '  - {name: same, action: Allow}\n',
    (index) => `  - {name: n${index}, actoin: Allow}\n`,
    () => '  - null\n',
  ),
  fc.nat(5_000),
);
const limits = fc.tuple(
  fc.constantFrom<(index: number) => string>(
    (index) => `    u${index}: {cores: 1${'0'.repeat(index % 40)}}\n`,
    (index) => `    u${index}: {cores: x}\n`,
    (index) => `    u${index}: x\n`,
  ),
  fc.nat(5_000),
);
const texts = fc.oneof(
  { weight: 60, arbitrary: mutatedText(ORIGINALS) },
  { weight: 20, arbitrary: randomPolicyDocument.map((document) => JSON.stringify(document)) },
  { weight: 1, arbitrary: many.map(([rule, count]) => `namespaces:\n${repeated(rule, count)}`) },
  { weight: 1, arbitrary: limits.map(([limit, count]) => `limits:\n  users:\n${repeated(limit, count)}`) },
);

function problemsOf(text: string): readonly string[] {
  try {
    expect(parseConfigurationText('FILE', text, policyFromDocument)).toHaveProperty('enforcement');
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    return error.problems;
  }
}

it('of any text the configuration is read, or refused with a line for each problem, in linear time', async () => {
  const property = fc.asyncProperty(texts, async (text) => {
    const before = process.cpuUsage();
    const problems = problemsOf(text);
    expect(cpuMs(before)).toBeLessThan(BASE_MS + text.length * MS_PER_CHARACTER);
    expect(problems.filter((line) => !/^FILE(:\d+:\d+)?: /.test(line) || line.includes('\n'))).toEqual([]);
    expect(problems.length).toBeLessThanOrEqual(101);
    expect(Object.keys(Object.prototype)).toEqual([]);
    // The event loop's turn: without it the time limit would never come.
    await new Promise(setImmediate);
  });
  await fuzz('configuration', property);
});
