import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ComponentName } from './component.ts';
import { EmbeddedControlPlane } from './embedded-control-plane.ts';
import type { KubectlOptions, KubectlResult } from './kubectl.ts';
import type { Binaries } from './versions.ts';
import { Watchdog } from './watchdog.ts';

export interface ControlPlaneOptions {
  readonly binaries: Binaries;
  /** Told of every step, one line each, and of a component that ends by itself later. */
  readonly report: (line: string) => void;
  /** Aborted during the start: the start fails and leaves nothing. Afterwards it has no effect: use `stop()`. */
  readonly signal: AbortSignal;
  readonly env?: NodeJS.ProcessEnv;
  /** Without it no pod is ever bound to a node. Default true. */
  readonly scheduler?: boolean;
  /** Without it there is no node. Default true. */
  readonly kwok?: boolean;
  /** Flags appended to those of a component; a later flag wins. */
  readonly flags?: Readonly<Partial<Record<ComponentName, readonly string[]>>>;
}

/** A running Kubernetes: etcd, API server, controller manager, and by default scheduler and a fake node. */
export interface ControlPlane {
  /** URL of the API server, on the loopback address. */
  readonly server: string;
  /** The administrator's (`system:masters`); all data embedded. */
  readonly kubeconfigPath: string;
  readonly caPem: string;
  /** The temporary folder of all its files, gone after `stop()`. */
  readonly directory: string;
  readonly binaries: Binaries;
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<KubectlResult>;
  /** Everything that a component has written so far. */
  logOf(component: ComponentName): Promise<string>;
  /** The process of its last start. @throws ControlPlaneError when it was never started, or is stopped. */
  pidOf(component: ComponentName): number;
  /** Ends one component and starts it again on the same port; resolves when it works. */
  restart(component: ComponentName, signal: AbortSignal): Promise<void>;
  /** Ends every process in reverse order and removes the folder. Idempotent. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a control plane of its own: free ports, a fresh temporary folder, nothing shared with another one. Whatever
 * way this process ends without `stop()`, a watchdog process ends the control plane.
 * @throws ControlPlaneError that names the component that failed, with the end of its log; nothing is left then.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  options.signal.throwIfAborted();
  const watchdog = await Watchdog.start();
  let plane: EmbeddedControlPlane | undefined;
  try {
    const directory = await mkdtemp(join(tmpdir(), 'daskwarden-'));
    watchdog.guardFolder(directory);
    plane = new EmbeddedControlPlane(options, watchdog, directory);
    await plane.start();
    return plane;
  } catch (error) {
    await (plane ?? watchdog).stop();
    throw error;
  }
}
