import { DASK_CLUSTER_KIND, DASK_CLUSTER_PLURAL, GATEWAY_GROUP, GATEWAY_VERSION } from '../src/api/names.ts';
import { daskClusterSchema } from './dask-cluster-schema.ts';
import type { OpenApi } from './pod-schema.ts';
import type { StructuralSchema } from './structural-schema.ts';

export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: Readonly<Record<string, unknown>>;
    readonly scope: 'Namespaced';
    readonly versions: readonly [Version];
  };
}

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly subresources: Readonly<Record<string, unknown>>;
  readonly additionalPrinterColumns: readonly Column[];
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
}

interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
}

const COLUMNS: readonly Column[] = [
  { name: 'Form', type: 'string', jsonPath: '.status.form' },
  { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  { name: 'Workers', type: 'integer', jsonPath: '.status.workers.running' },
  { name: 'Scheduler', type: 'string', jsonPath: '.status.schedulerPod' },
  { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

export function daskClusterCrd(openApi: OpenApi): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${DASK_CLUSTER_PLURAL}.${GATEWAY_GROUP}` },
    spec: {
      group: GATEWAY_GROUP,
      names: {
        kind: DASK_CLUSTER_KIND,
        listKind: `${DASK_CLUSTER_KIND}List`,
        plural: DASK_CLUSTER_PLURAL,
        singular: DASK_CLUSTER_KIND.toLowerCase(),
        shortNames: ['dgc'],
      },
      scope: 'Namespaced',
      versions: [
        {
          name: GATEWAY_VERSION,
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: {
              specReplicasPath: '.spec.worker.replicas',
              statusReplicasPath: '.status.workers.running',
              labelSelectorPath: '.status.workers.selector',
            },
          },
          additionalPrinterColumns: COLUMNS,
          schema: { openAPIV3Schema: daskClusterSchema(openApi) },
        },
      ],
    },
  };
}
