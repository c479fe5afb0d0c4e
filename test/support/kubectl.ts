import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { childEnvironment } from '../../src/control-plane/child-environment.ts';
import { type KubectlOptions, type KubectlResult, runKubectl } from '../../src/control-plane/kubectl.ts';

/** Runs kubectl against the run's control plane; a refusal is a result, not an exception. */
export function kubectl(args: readonly string[], options: KubectlOptions = {}): Promise<KubectlResult> {
  const kubeconfig = inject('kubeconfigPath');
  return runKubectl(args, {
    kubeconfig,
    ...options,
    file: inject('kubectlPath'),
    env: childEnvironment(process.env, join(dirname(kubeconfig), 'home')),
  });
}

/** As {@link kubectl}, for commands that must succeed. @returns standard output. */
export async function kubectlOk(args: readonly string[], options: KubectlOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await kubectl(args, options);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: exit code ${code}\n${stderr}`);
  return stdout;
}

/** `kubectl get … -o json`, parsed; `undefined` when there is no such object. */
export async function kubectlGet<T>(
  args: readonly string[],
  options: KubectlOptions = {},
): Promise<T | undefined> {
  const output = await kubectlOk(['get', ...args, '--ignore-not-found', '-o', 'json'], options);
  return output === '' ? undefined : (JSON.parse(output) as T);
}

/** Server-side or client-side apply of objects, as JSON on standard input. */
export function kubectlApply(
  objects: readonly object[],
  args: readonly string[] = [],
): Promise<KubectlResult> {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  return kubectl(['apply', '-f', '-', ...args], { input });
}
