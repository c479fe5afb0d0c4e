import { API_TOKEN_KEY, CERTIFICATE_KEY, CREDENTIALS_MOUNT_PATH, PRIVATE_KEY_KEY } from '../../api/names.ts';
import type { EnvVar } from '../../api/kubernetes.ts';

const CERTIFICATE = `${CREDENTIALS_MOUNT_PATH}/${CERTIFICATE_KEY}`;
const PRIVATE_KEY = `${CREDENTIALS_MOUNT_PATH}/${PRIVATE_KEY_KEY}`;

/**
 * What turns on mutual TLS in Dask: the cluster's one certificate is authority, server and client at once.
 * Without `REQUIRE_ENCRYPTION` a worker would still talk to a plain `tcp://` peer.
 */
export const CREDENTIALS_ENVIRONMENT: readonly EnvVar[] = [
  { name: 'DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION', value: 'True' },
  { name: 'DASK_DISTRIBUTED__COMM__TLS__CA_FILE', value: CERTIFICATE },
  { name: 'DASK_DISTRIBUTED__COMM__TLS__SCHEDULER__CERT', value: CERTIFICATE },
  { name: 'DASK_DISTRIBUTED__COMM__TLS__SCHEDULER__KEY', value: PRIVATE_KEY },
  { name: 'DASK_DISTRIBUTED__COMM__TLS__WORKER__CERT', value: CERTIFICATE },
  { name: 'DASK_DISTRIBUTED__COMM__TLS__WORKER__KEY', value: PRIVATE_KEY },
  { name: 'DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT', value: CERTIFICATE },
  { name: 'DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY', value: PRIVATE_KEY },
];

/** The worker's name in Dask is its pod's name, so that a retired worker is found as a pod and the other way round. */
export const WORKER_NAME_VARIABLE: EnvVar = {
  name: 'DASK_WORKER_NAME',
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } },
};

/** Path of the token file in a pod, for the gateway form. */
export const API_TOKEN_FILE = `${CREDENTIALS_MOUNT_PATH}/${API_TOKEN_KEY}`;
