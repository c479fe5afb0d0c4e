import { webhookConfigurations } from '../../../webhooks/configurations.ts';
import type { KubeObject } from '../../api/kubernetes.ts';
import { GATEWAY_GROUP, WEBHOOK_AUTHORITY_SECRET, WEBHOOK_CONFIGURATION } from '../../api/names.ts';

/** The two halves of the product, each with a service account and rights of its own. */
export type Part = 'webhook' | 'controller';

export interface InstallationOptions {
  readonly namespace: string;
  /** Host and port by which the API server reaches the webhook process. */
  readonly webhookHost: string;
  readonly webhookPort: number;
}

export const WEBHOOK_SERVICE = 'daskwarden-webhook';

export function serviceAccountName(part: Part): string {
  return `daskwarden-${part}`;
}

interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** Every right that the controller uses, and none that it does not. Secrets: by name alone, never a list. */
const CONTROLLER_RULES: readonly PolicyRule[] = [
  { apiGroups: [GATEWAY_GROUP], resources: ['daskclusters'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] },
  { apiGroups: [GATEWAY_GROUP], resources: ['daskclusters/status'], verbs: ['patch'] },
  // To set blockOwnerDeletion on children, where OwnerReferencesPermissionEnforcement is on.
  { apiGroups: [GATEWAY_GROUP], resources: ['daskclusters/finalizers'], verbs: ['update'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'create', 'delete'] },
  { apiGroups: [''], resources: ['services'], verbs: ['get', 'list', 'watch', 'create', 'delete'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create', 'patch', 'delete'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
    resourceNames: [WEBHOOK_CONFIGURATION],
    verbs: ['get', 'list', 'watch', 'patch'],
  },
  // Its own Secret alone, by name: whoever deletes it is seen at once.
  {
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: [WEBHOOK_AUTHORITY_SECRET],
    verbs: ['list', 'watch'],
  },
];

/** What admission judges by, and whom it asks: it writes nothing. */
const WEBHOOK_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [GATEWAY_GROUP], resources: ['daskclusters'], verbs: ['list', 'watch'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];

const WEBHOOK_NAMESPACE_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['secrets'], resourceNames: [WEBHOOK_AUTHORITY_SECRET], verbs: ['get'] },
];

/** What must be there before the processes start: namespace, accounts and rights. */
export function foundation(namespace: string): readonly KubeObject[] {
  const account = (part: Part): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: serviceAccountName(part), namespace },
  });
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    account('webhook'),
    account('controller'),
    ...clusterGrant('controller', namespace, CONTROLLER_RULES),
    ...clusterGrant('webhook', namespace, WEBHOOK_RULES),
    ...namespaceGrant('webhook', namespace, WEBHOOK_NAMESPACE_RULES),
  ];
}

/**
 * The Service and the registrations that lead the API server to the webhook. An ExternalName is resolved by the API
 * server itself, which then speaks to the process exactly as it would to pods behind a Service.
 */
export function registration({
  namespace,
  webhookHost,
  webhookPort,
}: InstallationOptions): readonly KubeObject[] {
  const service = { name: WEBHOOK_SERVICE, namespace, port: webhookPort };
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: WEBHOOK_SERVICE, namespace },
      spec: {
        type: 'ExternalName',
        externalName: webhookHost,
        ports: [{ port: webhookPort, protocol: 'TCP' }],
      },
    } as KubeObject,
    ...webhookConfigurations(service),
  ];
}

function clusterGrant(part: Part, namespace: string, rules: readonly PolicyRule[]): readonly KubeObject[] {
  const name = `${serviceAccountName(part)}-${namespace}`;
  return [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name },
      rules,
    } as KubeObject,
    binding('ClusterRole', { name }, part, namespace),
  ];
}

function namespaceGrant(part: Part, namespace: string, rules: readonly PolicyRule[]): readonly KubeObject[] {
  const metadata = { name: serviceAccountName(part), namespace };
  return [
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules } as KubeObject,
    binding('Role', metadata, part, namespace),
  ];
}

function binding(
  kind: 'Role' | 'ClusterRole',
  metadata: KubeObject['metadata'],
  part: Part,
  namespace: string,
): KubeObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: serviceAccountName(part), namespace }],
  } as KubeObject;
}
