import { FlagError } from '../platform/flags.ts';
import { parseFlags } from '../platform/parse-flags.ts';
import { VERSION_FACTS, versionText } from './version.ts';

const USAGE = `usage: daskwarden version [--output text|json]

Prints the version of daskwarden, of Node, and of the Kubernetes whose validation judges the pods of a cluster.`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  output: { type: 'string', short: 'o', default: 'text' },
} as const;

/** @returns the exit code */
export function version(args: readonly string[]): Promise<number> {
  const { help, output } = parseFlags(args, OPTIONS);
  if (output !== 'text' && output !== 'json') {
    throw new FlagError(`--output: must be text or json, not '${output}'`);
  }
  process.stdout.write(help === true ? `${USAGE}\n` : versionText(VERSION_FACTS, output));
  return Promise.resolve(0);
}
