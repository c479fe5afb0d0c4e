import { existsSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { systemClock } from '../platform/clock.ts';
import { AccessError, remember } from './config.ts';
import type { ClusterAccess, Credentials } from './config.ts';

export interface KubeconfigOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A file; absent: `$KUBECONFIG` (several files are merged), else `~/.kube/config`. */
  readonly path?: string | undefined;
  /** Absent: the file's current context. */
  readonly context?: string | undefined;
}

/** Certificates and tokens in files may be replaced at any time; exec plugins are cached by the library itself. */
const REREAD_AFTER_MS = 5_000;

/** Access by a kubeconfig, exec plugins included. Throws an AccessError that names the file or the context. */
export async function kubeconfigAccess(options: KubeconfigOptions): Promise<ClusterAccess> {
  const config = await load(options);
  const context = options.context ?? (config.getCurrentContext() || '');
  if (config.getContextObject(context) === null) {
    const known = config.getContexts().map(({ name }) => name);
    throw new AccessError(
      `kubeconfig: context '${context}' is not there; it has: ${known.join(', ') || 'none'}`,
    );
  }
  config.setCurrentContext(context);
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new AccessError(`kubeconfig: context '${context}' names a cluster that is not there`);
  if (cluster.proxyUrl !== undefined) {
    throw new AccessError(`kubeconfig: cluster '${cluster.name}': proxy-url is not supported`);
  }
  const namespace = config.getContextObject(context)?.namespace;
  return {
    server: cluster.server,
    insecureSkipTlsVerify: cluster.skipTLSVerify,
    ...(cluster.tlsServerName === undefined ? {} : { tlsServerName: cluster.tlsServerName }),
    ...(namespace === undefined ? {} : { namespace }),
    credentials: remember(() => currentCredentials(config), REREAD_AFTER_MS, systemClock),
  };
}

async function load(options: KubeconfigOptions): Promise<KubeConfig> {
  const files = kubeconfigFiles(options);
  // 80 MB and most of a second: only whoever reads a kubeconfig pays for it.
  const library = await import('@kubernetes/client-node');
  const merged = new library.KubeConfig();
  for (const [position, file] of files.entries()) {
    const config = position === 0 ? merged : new library.KubeConfig();
    try {
      config.loadFromFile(file);
      if (config !== merged) merged.mergeConfig(config, Boolean(merged.getCurrentContext()));
    } catch (error) {
      throw new AccessError(`kubeconfig: ${file} cannot be used`, { cause: error });
    }
  }
  return merged;
}

/** Like kubectl: of several files, those that are not there are passed over. */
function kubeconfigFiles({ path, env = {} }: KubeconfigOptions): string[] {
  if (path !== undefined) return [path];
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  const candidates = listed.length === 0 ? [join(homedir(), '.kube', 'config')] : listed;
  const files = candidates.filter((file) => existsSync(file));
  if (files.length === 0) {
    throw new AccessError(`kubeconfig: ${candidates.join(', ')} not found; name a file or set KUBECONFIG`);
  }
  return files;
}

async function currentCredentials(config: KubeConfig): Promise<Credentials> {
  // Never a token over plain HTTP; `kubectl proxy` needs none.
  if (config.getCurrentCluster()?.server.startsWith('http:')) return {};
  const found: RequestOptions = {};
  await config.applyToHTTPSOptions(found);
  const headers = new Headers(found.headers as Record<string, string> | undefined);
  const token = headers.get('authorization')?.replace(/^Bearer /, '');
  const impersonateUser = headers.get('impersonate-user');
  return {
    ...(found.ca === undefined ? {} : { caPem: pem(found.ca) }),
    ...(token === undefined ? {} : { token }),
    ...(found.cert === undefined || found.key === undefined
      ? {}
      : { clientCertificate: { certPem: pem(found.cert), keyPem: pem(found.key) } }),
    ...(impersonateUser === null ? {} : { impersonateUser }),
  };
}

function pem(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value);
}
