import type { Container, EnvVar, Pod } from '../../src/api/kubernetes.ts';

/** Where something of a pod is on this machine: text of it, and what stands there instead. */
export type Move = readonly [from: string, to: string];

export interface CommandLine {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * What a kubelet would start for a container whose image has no entry point: command, arguments and environment with
 * `$(VARIABLE)` expanded and the pod's fields filled in; then every move made in each of them, in order.
 */
export function kubeletCommand(pod: Pod, container: Container, moves: readonly Move[]): CommandLine {
  const declared = environment(pod, container.env ?? []);
  const words = [...(container.command ?? []), ...(container.args ?? [])]
    .map((word) => expand(word, declared))
    .map((word) => moved(word, moves));
  const [file, ...args] = words;
  if (file === undefined) throw new Error(`${pod.metadata.name}: neither command nor args`);
  const env = Object.fromEntries([...declared].map(([name, value]) => [name, moved(value, moves)]));
  return { file, args, env };
}

/** A variable may refer to those before it. */
function environment(pod: Pod, variables: readonly EnvVar[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const variable of variables) {
    const { value, valueFrom } = variable;
    if (valueFrom === undefined) values.set(variable.name, expand(value ?? '', values));
    else values.set(variable.name, field(pod, valueFrom.fieldRef?.fieldPath));
  }
  return values;
}

function field(pod: Pod, path: string | undefined): string {
  const value = path === 'metadata.name' ? pod.metadata.name : undefined;
  if (value === undefined)
    throw new Error(`${pod.metadata.name}: no such field for an environment variable: ${path}`);
  return value;
}

/** `$(NAME)` becomes the value where there is one and stays as it is where not; `$$` is an escaped `$`. */
function expand(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([^()]*)\)/g, (match, name: string | undefined) =>
    name === undefined ? '$' : (values.get(name) ?? match),
  );
}

function moved(text: string, moves: readonly Move[]): string {
  return moves.reduce((result, [from, to]) => result.replaceAll(from, to), text);
}
