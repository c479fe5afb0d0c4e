/**
 * Every group, label, annotation, object name, port and path that daskwarden and dask-gateway agree on.
 * They stand here and nowhere else. Names with `gateway.dask.org` are the contract with dask-gateway's API server
 * and client and may not change.
 */

export const GATEWAY_GROUP = 'gateway.dask.org';
export const GATEWAY_VERSION = 'v1alpha1';
export const DASK_CLUSTER_API_VERSION = `${GATEWAY_GROUP}/${GATEWAY_VERSION}`;
export const DASK_CLUSTER_KIND = 'DaskCluster';
export const DASK_CLUSTER_PLURAL = 'daskclusters';

export const DASKWARDEN_GROUP = 'daskwarden.dev';
export const EXTERNAL_CLUSTER_PLURAL = 'externalclusters';

/** On every child: the name of its DaskCluster (same namespace). */
export const CLUSTER_LABEL = 'gateway.dask.org/cluster';
/** On every child: the dask-gateway installation that the cluster belongs to. */
export const INSTANCE_LABEL = 'gateway.dask.org/instance';
/** On every child: its part in the cluster, one of {@link Component}. */
export const COMPONENT_LABEL = 'app.kubernetes.io/component';
export const APP_NAME_LABEL = 'app.kubernetes.io/name';
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
export const MANAGED_BY = 'daskwarden';

/** On pods: the incarnation of the cluster that made them (a decimal number, from 1). */
export const INCARNATION_LABEL = 'daskwarden.dev/incarnation';
/** On worker pods: the number of the worker among all that its DaskCluster has ever had (from 0). */
export const SLOT_LABEL = 'daskwarden.dev/slot';
/** On scheduler and worker pods: the name of the container that runs Dask. */
export const CONTAINER_LABEL = 'daskwarden.dev/container';
/** On a DaskCluster: `"true"` makes the controller leave it alone until the annotation is gone. */
export const PAUSED_ANNOTATION = 'daskwarden.dev/paused';
/** On a DaskCluster: the user who created it, as the API server authenticated them. Only admission sets it. */
export const REQUESTED_BY_ANNOTATION = 'daskwarden.dev/requested-by';
/** On a namespace: who the clusters belong to that a trusted deployer makes there without naming a user. */
export const OWNER_ANNOTATION = 'daskwarden.dev/owner';
/** On a pod that is to be a client of a DaskCluster: `<cluster>`, or `<namespace>.<cluster>` of another namespace. */
export const CONNECT_LABEL = 'daskwarden.dev/connect';
/** The verb on a DaskCluster that lets somebody be its client. */
export const CONNECT_VERB = 'connect';
/** On a copy of a cluster's certificate in another namespace: the cluster as `<namespace>/<name>`, and its UID. */
export const CONNECT_CLUSTER_ANNOTATION = 'daskwarden.dev/connect-cluster';
export const CONNECT_CLUSTER_UID_ANNOTATION = 'daskwarden.dev/connect-cluster-uid';

/** On an Event: the version of the object that it is about, as the log lines of webhook and controller name it. */
export const CORRELATION_ANNOTATION = 'daskwarden.dev/correlation';
/** On a namespace: `Warn` or `Deny`, in place of the installation's enforcement. */
export const ENFORCEMENT_LABEL = 'daskwarden.dev/enforcement';

/** Label prefixes that only the controller sets on children; a template may not. */
export const RESERVED_LABEL_PREFIXES = [`${GATEWAY_GROUP}/`, `${DASKWARDEN_GROUP}/`] as const;

export type Component = 'dask-scheduler' | 'dask-worker' | 'credentials';
export type Role = 'scheduler' | 'worker';

/** The component label and the conventional name of the Dask container of a role. */
export const ROLE_COMPONENT = {
  scheduler: 'dask-scheduler',
  worker: 'dask-worker',
} as const satisfies Record<Role, Component>;

export const CREDENTIALS_VOLUME = 'dask-credentials';
export const CREDENTIALS_MOUNT_PATH = '/etc/dask-credentials';
export const CERTIFICATE_KEY = 'dask.crt';
export const PRIVATE_KEY_KEY = 'dask.pem';
export const API_TOKEN_KEY = 'api-token';

export const SCHEDULER_PORT = 8786;
export const DASHBOARD_PORT = 8787;
export const GATEWAY_API_PORT = 8788;

export function credentialsSecretName(cluster: string): string {
  return `dask-credentials-${cluster}`;
}

/** The copy of a cluster's certificate for the clients of another namespace. */
export function connectSecretName(namespace: string, cluster: string): string {
  return `dask-connect-${namespace}.${cluster}`;
}

export function schedulerPodName(cluster: string): string {
  return `dask-scheduler-${cluster}`;
}

export function serviceName(cluster: string): string {
  return `dask-${cluster}`;
}

/** Every worker pod's name starts so; what follows is unique per worker. */
export function workerPodPrefix(cluster: string): string {
  return `dask-worker-${cluster}-`;
}

/** Secret of the controller's namespace with the webhooks' certificate authority (`tls.crt`, `tls.key`). */
export const WEBHOOK_AUTHORITY_SECRET = 'daskwarden-webhook-ca';
/** Name of both webhook registrations; the controller's right to set their `caBundle` is by this name. */
export const WEBHOOK_CONFIGURATION = 'daskwarden';

/** Who reports Events. */
export const CONTROLLER_NAME = 'daskwarden.dev/controller';
/** Our field manager, as `kubectl get --show-managed-fields` shows it. */
export const CONTROLLER_FIELD_MANAGER = 'daskwarden-controller';
