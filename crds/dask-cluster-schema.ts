import { CONFIG_PROPERTIES } from './gateway-config-schema.ts';
import { OBJECT_RULES, SPEC_RULES, WORKER_TEMPLATE_RULES } from './dask-cluster-rules.ts';
import { STATUS } from './dask-cluster-status-schema.ts';
import { structuralSchemaOf, type OpenApi } from './pod-schema.ts';
import { described, freeObject, mapOf, object, type StructuralSchema } from './structural-schema.ts';

const POD_TEMPLATE = 'io.k8s.api.core.v1.PodTemplateSpec';

const string = { type: 'string' } as const;
/** `format` because the `/scale` subresource carries 32 bits. */
const count = { type: 'integer', format: 'int32', minimum: 0 } as const;

/** The schema of a DaskCluster. Descriptions stand only at our own fields and say the form that a field belongs to. */
export function daskClusterSchema(openApi: OpenApi): StructuralSchema {
  const template = structuralSchemaOf(openApi, POD_TEMPLATE);
  return {
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: string,
      kind: string,
      // Its own types are the API server's business; the name is here because rules point to it.
      metadata: { type: 'object', properties: { name: string } },
      spec: spec(template),
      status: described('What the controller has made of it; written by the controller only.', STATUS),
    },
    'x-kubernetes-validations': OBJECT_RULES,
  };
}

function spec(template: StructuralSchema): StructuralSchema {
  const properties = {
    scheduler: described(
      'The scheduler (template form; its presence makes the form).',
      object(
        { template: described('Pod template of the scheduler (template form).', template) },
        { required: ['template'] },
      ),
    ),
    worker: described(
      'The workers (template form); absent means none.',
      object({
        replicas: described('Number of workers (template form); absent means 0.', count),
        template: described('Pod template of each worker (template form).', {
          ...template,
          'x-kubernetes-validations': WORKER_TEMPLATE_RULES,
        }),
      }),
    ),
    info: described('Free notes, text by name (template form).', mapOf(string)),
    username: described(
      'Owner of the cluster (gateway form; in the template form taken only from trusted deployers). Immutable.',
      string,
    ),
    options: described(
      "The user's cluster options as dask-gateway normalised them (gateway form).",
      freeObject,
    ),
    config: described(
      "Written by dask-gateway's API server (gateway form; its presence makes the form).",
      object(CONFIG_PROPERTIES),
    ),
    replicas: described('Number of workers, written by dask-gateway (gateway form); absent means 0.', count),
    active: described('false stops the cluster (both forms); absent means true.', { type: 'boolean' }),
    placement: described(
      'Where the cluster runs (both forms); absent means as the installation chooses. Immutable once set.',
      object({
        externalCluster: described('Name of an ExternalCluster; absent means this cluster.', string),
        namespaceMode: { ...string, enum: ['Shared', 'Managed', 'BringYourOwn'] },
        namespace: string,
      }),
    ),
    lifecycle: described('Deadlines and retention (both forms).', lifecycle),
    routes: described('How the cluster is reached from outside (both forms).', {
      ...string,
      enum: ['traefik', 'gateway-api', 'none'],
    }),
  } as const;
  return described(
    'Exactly one of `scheduler` (template form) and `config` (gateway form) is given.',
    object(properties, { 'x-kubernetes-validations': SPEC_RULES }),
  );
}

const seconds = { type: 'integer', minimum: 0 } as const;
const lifecycle = object({
  startDeadlineSeconds: described('A cluster that is not running by then is ended as Failed.', seconds),
  idleTimeoutSeconds: described('A cluster that computed nothing for so long is stopped.', seconds),
  activeDeadlineSeconds: described('A cluster is stopped when it has run for so long.', seconds),
  ttlSecondsAfterFinished: described('The object is deleted so long after the cluster ended.', seconds),
  schedulerRestarts: described(
    'Failures of the scheduler that are answered with a restart (template form); absent means 3.',
    count,
  ),
  nodeLostSeconds: described('A pod whose node is away for so long is given up and replaced.', seconds),
});
