import { expect, test } from 'vitest';
import { FlagError } from '../../../src/platform/flags.ts';
import { parseFlags } from '../../../src/platform/parse-flags.ts';

const OPTIONS = { port: { type: 'string', default: '1' }, verbose: { type: 'boolean' } } as const;

test('known flags have their values, and absent ones their defaults', () => {
  expect(parseFlags(['--verbose'], OPTIONS)).toEqual({ port: '1', verbose: true });
});

test.each([
  [['--prot', '2'], "Unknown option '--prot'; there are --port, --verbose"],
  [['--port'], "Option '--port <value>' argument missing; there are --port, --verbose"],
  [['--verbose=yes'], "Option '--verbose' does not take an argument; there are --port, --verbose"],
  [['serve'], "Unexpected argument 'serve'; there are --port, --verbose"],
])('%j is refused with what there is', (args, message) => {
  expect(() => parseFlags(args, OPTIONS)).toThrow(new FlagError(message));
});
