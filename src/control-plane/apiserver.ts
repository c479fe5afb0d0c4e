import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiConnection } from './api-connection.ts';
import { type Component, ETCD_SOCKET } from './component.ts';
import type { Credentials } from './credentials.ts';

const CERTIFICATES = 'certs';
export const SERVING_CERTIFICATE = join(CERTIFICATES, 'apiserver.crt');
export const SERVING_KEY = join(CERTIFICATES, 'apiserver.key');
/** The authority alone, for whoever verifies the API server's certificate; written after its start. */
export const CERTIFICATE_AUTHORITY = join(CERTIFICATES, 'ca.crt');
const SERVICE_NETWORK = '10.96.0.0/16';
const TOKEN_ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** kube-apiserver on the loopback address, with RBAC and a certificate that it makes for itself. */
export function apiserver(directory: string, credentials: Credentials): Component {
  return {
    name: 'kube-apiserver',
    args: (port) => [
      `--etcd-servers=unix://${ETCD_SOCKET}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      // Without these two it looks for a default route, which a machine without a network lacks.
      '--advertise-address=127.0.0.1',
      '--endpoint-reconciler-type=none',
      `--cert-dir=${CERTIFICATES}`,
      `--service-cluster-ip-range=${SERVICE_NETWORK}`,
      `--service-account-key-file=${credentials.serviceAccountKeyFile}`,
      `--service-account-signing-key-file=${credentials.serviceAccountKeyFile}`,
      `--service-account-issuer=${TOKEN_ISSUER}`,
      `--token-auth-file=${credentials.tokenFile}`,
      '--authorization-mode=RBAC',
      '--allow-privileged=true',
    ],
    ready: async (port, signal) => {
      const connection = new ApiConnection(
        await readCertificateAuthority(directory),
        credentials.tokens.admin,
      );
      const { status } = await connection.call(port, '/readyz', { signal });
      return status === 200;
    },
  };
}

/** PEM of the authority that the API server made at its start: the last certificate of its chain. */
export async function readCertificateAuthority(directory: string): Promise<string> {
  const chain = await readFile(join(directory, SERVING_CERTIFICATE), 'utf8');
  const last = chain.lastIndexOf('-----BEGIN CERTIFICATE-----');
  if (last < 0) throw new Error(`${SERVING_CERTIFICATE} holds no certificate yet`);
  return chain.slice(last);
}
