import { issueCertificate } from './certificate.ts';
import { generateKeyPair, type KeyType, privateKeyPem } from './key-pair.ts';
import { createSerialNumber, type RandomBytes } from './serial-number.ts';
import { BACKDATE_MS, DAY_MS } from './validity.ts';

const COMMON_NAME = 'dask-internal';
const DEFAULT_VALIDITY_MS = 365 * DAY_MS;
const TOKEN_BYTES = 16;

export interface ClusterCredentials {
  /** The one certificate of the cluster: CA, server and client for its scheduler, workers and clients. */
  readonly certificatePem: string;
  /** PKCS#8, not encrypted. */
  readonly privateKeyPem: string;
  /** 32 hexadecimal digits and nothing after them: it is compared byte by byte with what the scheduler reads. */
  readonly apiToken: string;
}

export interface ClusterCredentialsRequest {
  /** The DaskCluster's name. */
  readonly cluster: string;
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** How long from now they are valid. Absent means 365 days. */
  readonly validityMs?: number;
  /** Absent means P-256. */
  readonly keyType?: KeyType;
  readonly randomBytes: RandomBytes;
}

/**
 * Makes what a Dask cluster's processes and clients authenticate each other with: a self-signed certificate that
 * each of them presents and that each of them trusts alone (mutual TLS, as distributed does it), and the API token.
 * @throws RangeError where the cluster's name or the validity does not fit a certificate
 */
export async function createClusterCredentials(
  request: ClusterCredentialsRequest,
): Promise<ClusterCredentials> {
  const { cluster, nowMs, randomBytes } = request;
  const keys = await generateKeyPair(request.keyType ?? 'P-256');
  const certificatePem = issueCertificate({
    commonName: COMMON_NAME,
    dnsNames: [cluster, COMMON_NAME],
    notBeforeMs: nowMs - BACKDATE_MS,
    notAfterMs: nowMs + (request.validityMs ?? DEFAULT_VALIDITY_MS),
    serial: createSerialNumber(randomBytes),
    isCa: true,
    // A peer checks the one certificate as a server's and as a client's.
    extendedKeyUsage: ['serverAuth', 'clientAuth'],
    publicKey: keys.publicKey,
    issuer: { commonName: COMMON_NAME, keys },
  });
  return {
    certificatePem,
    privateKeyPem: privateKeyPem(keys.privateKey),
    apiToken: Buffer.from(randomBytes(TOKEN_BYTES)).toString('hex'),
  };
}
