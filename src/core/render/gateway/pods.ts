import type { DaskCluster } from '../../../api/dask-cluster.ts';
import { FieldPath } from '../../../api/field-path.ts';
import type { Pod } from '../../../api/kubernetes.ts';
import {
  CLUSTER_LABEL,
  COMPONENT_LABEL,
  CREDENTIALS_VOLUME,
  credentialsSecretName,
  INSTANCE_LABEL,
  ROLE_COMPONENT,
  schedulerPodName,
  workerPodPrefix,
  type Role,
} from '../../../api/names.ts';
import { fieldPathOf, printable } from '../../structure/place.ts';
import type { ClusterName } from './command.ts';
import { GatewayConfig } from './config.ts';
import { containerOf } from './container.ts';
import { segmentsOfPodField } from './pod-field.ts';
import type { GatewaySettings } from './settings.ts';
import {
  fields,
  items,
  made,
  merge,
  placeOf,
  type Segments,
  type Traced,
  valueOf,
  written,
} from './traced.ts';

/** A pod of a gateway-form cluster, and where each of its fields was written. */
export interface GatewayPod {
  readonly role: Role;
  readonly pod: Pod;
  /**
   * Where the DaskCluster says what a field of the pod is, or could say it; `spec.config` for what follows from nothing
   * that is written there.
   * @param podField as Kubernetes writes it: `spec.containers[0].resources.requests[cpu]`
   */
  readonly pathOf: (podField: string) => FieldPath;
  /**
   * The same by keys and indices.
   * @returns undefined for what follows from nothing that is written
   */
  readonly placeOf: (keys: readonly (string | number)[]) => FieldPath | undefined;
}

/** What the API server appends to `metadata.generateName`; the pods are judged before it has. */
const GENERATED_SUFFIX = 'xxxxx';

/**
 * The scheduler's pod and a worker's as dask-gateway's own controller renders them from `spec.config`, with two
 * deviations: scripts that distributed has removed are called by their new names, and the scheduler is asked every
 * second whether it is ready. Owner, incarnation and the worker's own name are for who creates the pod; the credentials
 * are in it, but for the variables that dask-gateway does not know and admission injects.
 */
export function gatewayPods(cluster: DaskCluster, settings: GatewaySettings): readonly GatewayPod[] {
  const config = new GatewayConfig(cluster);
  return (['scheduler', 'worker'] as const).map((role) => {
    const traced = podOf(cluster, config, role, settings);
    const find = (segments: readonly string[]): FieldPath | undefined => {
      const place = placeOf(traced, segments);
      return place === undefined ? undefined : writtenPath(cluster, place);
    };
    return {
      role,
      // What was written is of any type; Kubernetes' own validation says what is wrong with it.
      pod: valueOf(traced) as Pod,
      pathOf: (podField) => find(segmentsOfPodField(podField)) ?? FieldPath.of('spec', 'config'),
      placeOf: (keys) => find(keys.map(String)),
    };
  });
}

/** Keys of the configuration with free keys below them. */
const MAPS = /^(?:environment|(?:scheduler|worker)_extra_pod_(?:labels|annotations))$/;

function writtenPath(cluster: DaskCluster, place: Segments): FieldPath {
  const [, parent, key = '', entry, ...rest] = place;
  if (parent !== 'config' || entry === undefined || !MAPS.test(key)) return fieldPathOf(cluster, place);
  return FieldPath.of('spec', 'config', key)
    .key(printable(entry))
    .child(...rest.map(printable));
}

function podOf(cluster: DaskCluster, config: GatewayConfig, role: Role, settings: GatewaySettings): Traced {
  const { name, generateName = '', namespace = '' } = cluster.metadata;
  const owner: ClusterName = { name: name || `${generateName}${GENERATED_SUFFIX}`, namespace };
  return fields({
    apiVersion: made('v1'),
    kind: made('Pod'),
    metadata: metadataOf(cluster, config, role, { settings, owner }),
    spec: specOf(config, role, { settings, owner }),
  });
}

interface Surroundings {
  readonly settings: GatewaySettings;
  readonly owner: ClusterName;
}

function metadataOf(
  { metadata }: DaskCluster,
  config: GatewayConfig,
  role: Role,
  { settings, owner }: Surroundings,
): Traced {
  const named = ['metadata', 'name'];
  const labels = fields({
    ...oursEach(settings.commonLabels),
    [INSTANCE_LABEL]: made(metadata.labels?.[INSTANCE_LABEL] ?? settings.instance),
    [CLUSTER_LABEL]: made(owner.name, named),
    [COMPONENT_LABEL]: made(ROLE_COMPONENT[role]),
  });
  const [labelKey, annotationKey] = [`${role}_extra_pod_labels`, `${role}_extra_pod_annotations`];
  return fields({
    ...(role === 'scheduler'
      ? { name: made(schedulerPodName(owner.name), named) }
      : { generateName: made(workerPodPrefix(owner.name), named) }),
    namespace: made(owner.namespace, ['metadata', 'namespace']),
    labels: merge(labels, config.objectOf(labelKey), GatewayConfig.at(labelKey)),
    annotations: merge(
      fields(oursEach(settings.commonAnnotations)),
      config.objectOf(annotationKey),
      GatewayConfig.at(annotationKey),
    ),
  });
}

function specOf(config: GatewayConfig, role: Role, { settings, owner }: Surroundings): Traced {
  const secrets = config.listOf('image_pull_secrets') ?? [];
  const key = `${role}_extra_pod_config`;
  const spec = fields({
    containers: items([containerOf(config, role, owner, settings.apiUrl)]),
    volumes: made([{ name: CREDENTIALS_VOLUME, secret: { secretName: credentialsSecretName(owner.name) } }]),
    restartPolicy: made(role === 'worker' ? 'OnFailure' : 'Never'),
    automountServiceAccountToken: made(false),
    imagePullSecrets:
      secrets.length === 0 ? undefined : written(secrets, GatewayConfig.at('image_pull_secrets')),
  });
  return merge(spec, config.objectOf(key), GatewayConfig.at(key));
}

function oursEach(entries: Readonly<Record<string, string>>): Record<string, Traced> {
  return Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, made(value)]));
}
