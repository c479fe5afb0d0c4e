import { listByKey, object } from './structural-schema.ts';

const string = { type: 'string' } as const;
const integer = { type: 'integer' } as const;

/** Written by the controller, and read by dask-gateway's API server, which fails on any other phase. */
export const STATUS = object({
  phase: { ...string, enum: ['Pending', 'Running', 'Stopped', 'Failed'] },
  form: { ...string, enum: ['gateway', 'template'] },
  observedGeneration: integer,
  credentials: string,
  service: string,
  schedulerPod: string,
  ingressroute: string,
  ingressroutetcp: string,
  incarnation: integer,
  schedulerRestarts: integer,
  startTime: string,
  completionTime: { ...string, nullable: true },
  placement: object({ externalCluster: string, namespaceMode: string, namespace: string }),
  workers: object({
    desired: integer,
    running: integer,
    pending: integer,
    failed: integer,
    selector: string,
    nextSlot: integer,
    consecutiveFailures: integer,
    lastFailureTime: string,
  }),
  lastTermination: object({
    role: string,
    pod: string,
    container: string,
    exitCode: integer,
    reason: string,
    message: string,
    finishedAt: string,
  }),
  conditions: listByKey(
    'type',
    object(
      {
        type: string,
        status: { ...string, enum: ['True', 'False', 'Unknown'] },
        reason: string,
        message: string,
        observedGeneration: integer,
        lastTransitionTime: string,
      },
      { required: ['status'] },
    ),
  ),
  message: string,
});
