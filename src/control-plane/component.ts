import type { ApiConnection } from './api-connection.ts';
import type { Credentials } from './credentials.ts';
import type { BinaryName } from './versions.ts';

/** In the order of their start. */
export const COMPONENTS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
] as const satisfies readonly BinaryName[];

export type ComponentName = (typeof COMPONENTS)[number];

/** One server process of the control plane: how it is started and when it does its work. */
export interface Component {
  readonly name: ComponentName;
  /** @param port a free port of the loopback address; not every component needs it. */
  args(port: number): readonly string[];
  /** Asked again and again until it is true; may throw as long as nothing listens. */
  ready(port: number, signal: AbortSignal): Promise<boolean>;
}

/** Where etcd listens: a socket in the control plane's own folder, which no other user of the machine can enter. */
export const ETCD_SOCKET = 'etcd:0';

/** What the components other than etcd and the API server need to reach the API server. */
export interface ApiSite {
  readonly directory: string;
  readonly credentials: Credentials;
  readonly connection: ApiConnection;
  readonly apiPort: number;
}
