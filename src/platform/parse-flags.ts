import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { FlagError } from './flags.ts';

type Values<T extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T }>
>['values'];

/** @throws FlagError for a flag that there is not, or one without its value; it lists those that there are */
export function parseFlags<const T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
): Values<T> {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    if (!isParseError(error)) throw error;
    // What follows the first sentence tells how to pass positional arguments, and there are none.
    const [what] = error.message.split('. ');
    const known = Object.keys(options).map((name) => `--${name}`);
    throw new FlagError(`${what ?? ''}; there are ${known.join(', ')}`, { cause: error });
  }
}

function isParseError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}
