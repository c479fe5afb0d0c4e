import type { KubeObject } from '../src/api/kubernetes.ts';
import {
  CLUSTER_LABEL,
  CONNECT_LABEL,
  DASK_CLUSTER_PLURAL,
  DASKWARDEN_GROUP,
  GATEWAY_GROUP,
  GATEWAY_VERSION,
  WEBHOOK_CONFIGURATION,
} from '../src/api/names.ts';
import { PATHS } from './routes.ts';

export interface ServiceReference {
  readonly name: string;
  readonly namespace: string;
  readonly port: number;
}

/** A MutatingWebhookConfiguration or ValidatingWebhookConfiguration: those of their fields that are set here. */
export interface WebhookConfiguration extends KubeObject {
  readonly webhooks: readonly Webhook[];
}

export interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly service: ServiceReference & { readonly path: string } };
  readonly rules: readonly Rule[];
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly objectSelector?: object;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly reinvocationPolicy?: 'IfNeeded';
  readonly admissionReviewVersions: readonly ['v1'];
  readonly sideEffects: 'None';
  readonly timeoutSeconds: number;
  readonly matchPolicy: 'Equivalent';
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly ('CREATE' | 'UPDATE')[];
  readonly scope: 'Namespaced';
}

/** What sets one webhook apart from the others. */
type Particulars = Pick<
  Webhook,
  'rules' | 'matchConditions' | 'objectSelector' | 'failurePolicy' | 'reinvocationPolicy'
>;

const TIMEOUT_SECONDS = 5;

/**
 * An update that changes nothing a rule looks at needs no judgement, and an object that is ending must be able to end
 * whatever the webhook thinks of it. `request.subResource` is absent, not empty, for the object itself: read without
 * the `?` it is an error, which under `Fail` would refuse every write of a finalizer.
 */
const MATCH_CONDITIONS = [
  {
    name: 'changes-what-is-judged',
    expression:
      "request.?subResource.orValue('') == 'scale' || oldObject == null || object.spec != oldObject.spec || " +
      'object.metadata.?annotations != oldObject.metadata.?annotations || ' +
      'object.metadata.?labels != oldObject.metadata.?labels',
  },
  {
    name: 'is-not-being-deleted',
    expression: "request.?subResource.orValue('') == 'scale' || !has(object.metadata.deletionTimestamp)",
  },
];

const CLUSTER_RULES: readonly Rule[] = [
  {
    apiGroups: [GATEWAY_GROUP],
    apiVersions: [GATEWAY_VERSION],
    // Without /scale, `kubectl scale` would pass by every limit. Never DELETE: nothing may keep a namespace from ending.
    resources: [DASK_CLUSTER_PLURAL, `${DASK_CLUSTER_PLURAL}/scale`],
    operations: ['CREATE', 'UPDATE'],
    scope: 'Namespaced',
  },
];

function podRule(operation: 'CREATE' | 'UPDATE', ...resources: readonly string[]): Rule {
  return { apiGroups: [''], apiVersions: ['v1'], resources, operations: [operation], scope: 'Namespaced' };
}

/**
 * Labels are all that the guard looks at, and they can be changed through /status too. Every other write of a pod, most
 * of all its end, must succeed while the webhook is away.
 */
const GUARD_RULES = [podRule('CREATE', 'pods'), podRule('UPDATE', 'pods', 'pods/status')];
const GUARD_CONDITIONS = [
  {
    name: 'changes-labels',
    expression: 'oldObject == null || object.metadata.?labels != oldObject.metadata.?labels',
  },
];

/**
 * Only pods that claim to belong to a cluster, or to be its clients, are ever sent to us: our own never do, so nothing
 * can deadlock.
 */
const LABELLED_PODS = labelled(CLUSTER_LABEL);
const CONNECTING_PODS = labelled(CONNECT_LABEL);

function labelled(key: string): Pick<Webhook, 'objectSelector'> {
  return { objectSelector: { matchExpressions: [{ key, operator: 'Exists' }] } };
}

/**
 * The two registrations, without `caBundle`: that field is the controller's, and absent here it is nobody's drift.
 * While the mutating half for clusters is away the validating one still judges; the others fail closed.
 */
export function webhookConfigurations(
  service: ServiceReference,
): readonly [WebhookConfiguration, WebhookConfiguration] {
  const webhook = (name: string, path: string, particulars: Particulars): Webhook => ({
    name: `${name}.${DASKWARDEN_GROUP}`,
    admissionReviewVersions: ['v1'],
    clientConfig: { service: { ...service, path } },
    sideEffects: 'None',
    timeoutSeconds: TIMEOUT_SECONDS,
    matchPolicy: 'Equivalent',
    ...particulars,
  });
  const clusters = { rules: CLUSTER_RULES, matchConditions: MATCH_CONDITIONS };
  return [
    configuration('MutatingWebhookConfiguration', [
      webhook('mutate.daskclusters', PATHS.mutateClusters, { ...clusters, failurePolicy: 'Ignore' }),
      webhook('inject.pods', PATHS.mutatePods, {
        rules: [podRule('CREATE', 'pods')],
        ...LABELLED_PODS,
        failurePolicy: 'Fail',
      }),
      webhook('connect.pods', PATHS.connectPods, {
        rules: [podRule('CREATE', 'pods')],
        ...CONNECTING_PODS,
        failurePolicy: 'Fail',
        // Another webhook may add the label after this one was asked: the guard would refuse the pod.
        reinvocationPolicy: 'IfNeeded',
      }),
    ]),
    configuration('ValidatingWebhookConfiguration', [
      webhook('validate.daskclusters', PATHS.validateClusters, { ...clusters, failurePolicy: 'Fail' }),
      webhook('guard.pods', PATHS.validatePods, {
        rules: GUARD_RULES,
        matchConditions: GUARD_CONDITIONS,
        ...LABELLED_PODS,
        failurePolicy: 'Fail',
      }),
      webhook('guard-connect.pods', PATHS.guardConnectingPods, {
        rules: GUARD_RULES,
        matchConditions: GUARD_CONDITIONS,
        ...CONNECTING_PODS,
        failurePolicy: 'Fail',
      }),
    ]),
  ];
}

function configuration(kind: string, webhooks: readonly Webhook[]): WebhookConfiguration {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: WEBHOOK_CONFIGURATION },
    webhooks,
  };
}
