import { parseArgs } from 'node:util';
import { UsageError } from '../usage-error.ts';

export const CHECK_USAGE = `usage: daskwarden check [options] FILE|FOLDER… | -
       daskwarden check --live [-A | -n NAMESPACE] [options]

Judges the DaskClusters in YAML or JSON files as the admission webhook does, without a cluster: every rule, and
Kubernetes' own validation of the pods that they lead to. A folder is searched with its subfolders (*.yaml, *.yml,
*.json), '-' reads standard input, and objects of other kinds are ignored.

  -n, --namespace NAME   where a manifest names no namespace (default: default); with --live the one to look at
                         (default: the kubeconfig's)
  --policy FILE          the configuration of rules, as the webhook has it
  --output FORMAT        text: for people (default); jsonl: a line of JSON for each DaskCluster; github: annotations in
                         a job of GitHub Actions; sarif: one SARIF 2.1.0 document, for code scanning
  --server               also ask the cluster whether it would take each DaskCluster and its pods: a dry run with your
                         own rights, in which quotas, limit ranges and other webhooks are heard
  --live                 judge what is stored in the cluster, and the pods of a running dask-gateway; only reads
  -A, --all-namespaces   with --live: all of them
  --kubeconfig FILE      for --server and --live (default: $KUBECONFIG, else ~/.kube/config)
  --context NAME         of the kubeconfig (default: its current one)

exit codes: 0 none would be refused (there may be warnings), 1 at least one would be refused,
            2 wrong usage, a file that cannot be read, or a cluster that cannot be asked

What depends on who asks, such as what a template may reach, is a warning here. Colours are for terminals; NO_COLOR
and FORCE_COLOR decide otherwise.`;

export interface ClusterFlags {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

const OUTPUTS = ['text', 'jsonl', 'github', 'sarif'] as const;
export type Output = (typeof OUTPUTS)[number];

export interface CheckOptions {
  readonly mode: 'files' | 'server' | 'live';
  /** Empty for `live`. */
  readonly paths: readonly string[];
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly policyFile: string | undefined;
  readonly output: Output;
  readonly cluster: ClusterFlags;
}

/** @returns undefined where only the usage is asked for @throws UsageError */
export function parseOptions(args: readonly string[]): CheckOptions | undefined {
  const given = parsed(args);
  const { values, positionals } = given;
  if (values.help === true) return undefined;
  const { live = false, server = false } = values;
  demandCoherence(given);
  return {
    mode: live ? 'live' : server ? 'server' : 'files',
    paths: positionals,
    namespace: values.namespace,
    allNamespaces: values['all-namespaces'] === true,
    policyFile: values.policy,
    output: outputOf(values.output) ?? 'text',
    cluster: { kubeconfig: values.kubeconfig, context: values.context },
  };
}

function demandCoherence({ values, positionals }: Arguments): void {
  const { live = false, server = false, namespace, output = 'text', kubeconfig, context } = values;
  const allNamespaces = values['all-namespaces'] === true;
  const reachesCluster = live || server;
  const outputs = OUTPUTS.join(', ');
  demand(outputOf(output) !== undefined, `--output: must be one of ${outputs}, not '${output}'`);
  demand(namespace !== '', '--namespace: must not be empty');
  demand(!(live && server), '--live and --server: one at a time; --live judges what is stored already');
  demand(live || !allNamespaces, '--all-namespaces: only with --live');
  demand(!allNamespaces || namespace === undefined, '--all-namespaces and --namespace: one of the two');
  demand(
    !live || positionals.length === 0,
    '--live: judges what is stored in the cluster and takes no files',
  );
  demand(live || positionals.length > 0, 'name at least one file or folder, or - for standard input');
  demand(
    reachesCluster || (kubeconfig === undefined && context === undefined),
    '--kubeconfig and --context: only with --server or --live',
  );
}

function outputOf(word: string | undefined): Output | undefined {
  return OUTPUTS.find((output) => output === word);
}

function demand(holds: boolean, message: string): void {
  if (!holds) throw new UsageError(message, CHECK_USAGE);
}

const FLAGS = {
  help: { type: 'boolean', short: 'h' },
  namespace: { type: 'string', short: 'n' },
  policy: { type: 'string' },
  output: { type: 'string' },
  server: { type: 'boolean' },
  live: { type: 'boolean' },
  'all-namespaces': { type: 'boolean', short: 'A' },
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
} as const;

type Arguments = ReturnType<typeof parseArgs<{ options: typeof FLAGS; allowPositionals: true }>>;

function parsed(args: readonly string[]): Arguments {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: FLAGS });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new UsageError(error.message, CHECK_USAGE);
  }
}
