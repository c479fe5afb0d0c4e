import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import { systemClock } from '../platform/clock.ts';

/** What proves the server to us, and us to the server. All PEM are texts. */
export interface Credentials {
  /** Trusted instead of the system's roots. */
  readonly caPem?: string;
  /** Bearer token. */
  readonly token?: string;
  readonly clientCertificate?: { readonly certPem: string; readonly keyPem: string };
  readonly impersonateUser?: string;
}

/** Where an API server is and how to be let in. */
export interface ClusterAccess {
  /** `https://host[:port][/prefix]`. */
  readonly server: string;
  /** The name that the server's certificate must carry, when it is not the host's. */
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** The namespace that the configuration names. */
  readonly namespace?: string;
  /** Asked before every request and every new connection, so that what rotates is picked up. */
  readonly credentials: () => Promise<Credentials>;
}

/** The configuration that should lead to an API server is missing or cannot be used. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
}

export interface InClusterOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory?: string;
  readonly clock?: Clock;
}

/** The kubelet replaces the token long before it expires: a minute's delay is what client-go allows itself too. */
const REREAD_AFTER_MS = 60_000;

/** Access by the service account of the pod that this process runs in. Throws an AccessError outside of a pod. */
export async function inClusterAccess(options: InClusterOptions): Promise<ClusterAccess> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = options.env;
  if (!host || !port) {
    throw new AccessError(
      'not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; name a kubeconfig (--kubeconfig FILE)',
    );
  }
  const directory = options.directory ?? '/var/run/secrets/kubernetes.io/serviceaccount';
  const credentials = remember(
    () => serviceAccountCredentials(directory),
    REREAD_AFTER_MS,
    options.clock ?? systemClock,
  );
  await credentials();
  const namespace = await readFile(join(directory, 'namespace'), 'utf8').catch(() => '');
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ...(namespace === '' ? {} : { namespace: namespace.trim() }),
    credentials,
  };
}

async function serviceAccountCredentials(directory: string): Promise<Credentials> {
  const [token, caPem] = await Promise.all(
    ['token', 'ca.crt'].map(async (file) => {
      const path = join(directory, file);
      const text = await readFile(path, 'utf8').catch((error: unknown) => {
        throw new AccessError(`service account: ${path} cannot be read`, { cause: error });
      });
      if (text.trim() === '') throw new AccessError(`service account: ${path} is empty`);
      return text.trim();
    }),
  );
  return { token: token ?? '', caPem: caPem ?? '' };
}

/** Reads again when the last value is older than `maxAgeMs`; calls that meet share one read; failures are not kept. */
export function remember<T>(read: () => Promise<T>, maxAgeMs: number, clock: Clock): () => Promise<T> {
  let last: { readonly value: T; readonly readAt: number } | undefined;
  let reading: Promise<T> | undefined;
  return () => {
    if (last !== undefined && clock.monotonic() - last.readAt < maxAgeMs) return Promise.resolve(last.value);
    reading ??= read()
      .then((value) => {
        last = { value, readAt: clock.monotonic() };
        return value;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
}
