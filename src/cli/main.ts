#!/usr/bin/env node
import { ConfigurationError } from '../platform/configuration-error.ts';
import { FlagError } from '../platform/flags.ts';
import { UsageError } from './usage-error.ts';

const USAGE = `usage: daskwarden <command> [options]

  webhook      serve the admission webhooks
  controller   create and maintain what DaskClusters describe
  check        look for mistakes in manifests, without a cluster
  demo         take a guided tour on a Kubernetes control plane made for it
  version      print the version

'daskwarden <command> --help' shows the options of a command.`;

type Command = (args: readonly string[]) => Promise<number>;

/** Each is loaded only when it is called: the webhook must not carry the controller's code in memory. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  webhook: async () => (await import('../../webhooks/main.ts')).runWebhook,
  controller: async () => (await import('../controller/main.ts')).runController,
  check: async () => (await import('./check/command.ts')).check,
  demo: async () => (await import('./demo/command.ts')).demo,
  version: async () => (await import('./version-command.ts')).version,
};

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const load = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) {
    throw new UsageError(name === undefined ? 'no command given' : `unknown command '${name}'`, USAGE);
  }
  const command = await load();
  const code = await command(args);
  // Everything is closed by now, but a connection attempt that nobody answers would hold the process for 10 s more.
  if (name === 'webhook' || name === 'controller') process.exit(code);
  return code;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = 2;
  if (error instanceof UsageError) process.stderr.write(`daskwarden: ${error.message}\n\n${error.usage}\n`);
  else if (error instanceof FlagError || error instanceof ConfigurationError || isParseArgsError(error))
    process.stderr.write(`daskwarden: ${error.message}\n`);
  else {
    process.exitCode = 1;
    const stack = process.env['DASKWARDEN_DEBUG'] === undefined ? undefined : (error as Error).stack;
    process.stderr.write(
      `daskwarden: ${stack ?? (error instanceof Error ? error.message : String(error))}\n`,
    );
  }
}

function isParseArgsError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}
