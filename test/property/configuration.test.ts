import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../src/core/policy/parse.ts';
import { ConfigurationError } from '../../src/platform/configuration-error.ts';
import { parseConfigurationText } from '../../src/platform/read-configuration.ts';
import { randomPolicyDocument } from '../support/random-policy.ts';

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems;
  }
}

describe('a configuration', () => {
  it('of any shape is read, or refused with a line for each problem', () => {
    fc.assert(
      fc.property(randomPolicyDocument, (document) => {
        const parsed = parsePolicy(document);
        const read = (): unknown => parseConfigurationText('FILE', JSON.stringify(document), parsePolicy);
        if ('policy' in parsed) {
          expect(read()).toEqual(parsed);
          return;
        }
        const problems = problemsOf(read);
        expect(problems).toHaveLength(parsed.problems.length);
        expect(problems.filter((line) => !/^FILE(:1:\d+)?: ./.test(line) || line.includes('\n'))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('of any text is read, or refused as a configuration', () => {
    const words = fc.constantFrom(
      'limits',
      ': ',
      '\n',
      '  ',
      '- ',
      '&a ',
      '*a',
      '{',
      '}',
      '[',
      ']',
      '? ',
      '!!x ',
      '"',
      '<<',
      '|',
      '#',
      '\t',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string({ maxLength: 3 })), { maxLength: 40 }), (parts) => {
        problemsOf(() => parseConfigurationText('FILE', parts.join(''), parsePolicy));
      }),
      { numRuns: 300 },
    );
  });
});
