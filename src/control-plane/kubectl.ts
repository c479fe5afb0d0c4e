import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface KubectlOptions {
  /** Given on standard input, for `-f -`. */
  readonly input?: string;
  /** Another kubeconfig than the administrator's. */
  readonly kubeconfig?: string;
  readonly signal?: AbortSignal;
}

export interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface KubectlCall extends KubectlOptions {
  readonly file: string;
  readonly kubeconfig: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Runs kubectl and waits for its end. A refusal is a result (`code` 1 and the text on `stderr`), not an exception.
 * @throws when kubectl cannot be executed, was ended by a signal, or `signal` was aborted.
 */
export async function runKubectl(args: readonly string[], call: KubectlCall): Promise<KubectlResult> {
  const child = spawn(call.file, ['--kubeconfig', call.kubeconfig, ...args], {
    env: call.env,
    stdio: 'pipe',
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  });
  // kubectl may end without having read its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(call.input ?? '');
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null, string | null]>,
  ]);
  if (code === null) throw new Error(`kubectl ${args[0] ?? ''} was ended by ${signal ?? 'a signal'}`);
  return { code, stdout, stderr };
}
