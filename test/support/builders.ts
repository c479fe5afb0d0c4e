import type { DaskCluster, DaskClusterSpec, DaskClusterStatus } from '../../src/api/dask-cluster.ts';
import type { Container, Pod, PodSpec, PodStatus } from '../../src/api/kubernetes.ts';
import { CLUSTER_LABEL, COMPONENT_LABEL, INCARNATION_LABEL, SLOT_LABEL } from '../../src/api/names.ts';
import { DEFAULT_SETTINGS, type Observed, type PlanInput } from '../../src/core/plan/observed.ts';
import { renderSchedulerPod, renderWorkerPod } from '../../src/core/render/pod.ts';
import { renderService } from '../../src/core/render/service.ts';

export const NOW = Date.parse('2026-03-01T12:00:00Z');
export const IMAGE = 'registry.example.org/dask:2026.3';

interface ClusterOptions {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly replicas?: number;
  readonly spec?: Partial<DaskClusterSpec>;
  readonly status?: DaskClusterStatus;
  readonly metadata?: Partial<DaskCluster['metadata']>;
}

/** A stored template-form cluster that names only images. */
export function aCluster(options: ClusterOptions = {}): DaskCluster {
  const { name = 'demo', namespace = 'team-a', uid = '5f1e0c3a-0000-4000-8000-000000000001' } = options;
  return {
    apiVersion: 'gateway.dask.org/v1alpha1',
    kind: 'DaskCluster',
    metadata: { name, namespace, uid, generation: 1, resourceVersion: '1', ...options.metadata },
    spec: {
      scheduler: { template: { spec: { containers: [{ name: 'dask-scheduler', image: IMAGE }] } } },
      worker: {
        ...(options.replicas === undefined ? {} : { replicas: options.replicas }),
        template: { spec: { containers: [{ name: 'dask-worker', image: IMAGE }] } },
      },
      ...options.spec,
    },
    ...(options.status === undefined ? {} : { status: options.status }),
  };
}

/** The cluster with one container of a role's template changed. */
export function withDaskContainer(role: 'scheduler' | 'worker', change: Partial<Container>): DaskCluster {
  const name = role === 'scheduler' ? 'dask-scheduler' : 'dask-worker';
  return withPodSpec(role, { containers: [{ name, image: IMAGE, ...change }] });
}

export function withPodSpec(role: 'scheduler' | 'worker', spec: Partial<PodSpec>): DaskCluster {
  const container = { name: role === 'scheduler' ? 'dask-scheduler' : 'dask-worker', image: IMAGE };
  return aCluster({ spec: { [role]: { template: { spec: { containers: [container], ...spec } } } } });
}

export type Stage =
  'unscheduled' | 'pending' | 'running' | 'failed' | 'succeeded' | 'evicted' | 'terminating';

/** A scheduler pod as the API server would return it at some stage of its life. */
export function aScheduler(cluster: DaskCluster, stage: Stage, incarnation = 1): Pod {
  return at(
    stage,
    renderSchedulerPod(cluster, DEFAULT_SETTINGS.installation, incarnation),
    `scheduler-${incarnation}`,
  );
}

export function aWorker(cluster: DaskCluster, stage: Stage, slot: number, incarnation = 1): Pod {
  const pod = renderWorkerPod(cluster, DEFAULT_SETTINGS.installation, { incarnation, slot });
  return at(stage, pod, `worker-${incarnation}-${slot}`);
}

export function at(stage: Stage, pod: Pod, uid = pod.metadata.uid ?? 'uid', endedAt = NOW): Pod {
  const { deletionTimestamp: _gone, ...metadata } = pod.metadata;
  const name = pod.spec.containers[0]?.name ?? '';
  const bound: Pod = { ...pod, metadata: { ...metadata, uid }, spec: { ...pod.spec, nodeName: 'node-1' } };
  const finishedAt = new Date(endedAt).toISOString();
  switch (stage) {
    case 'unscheduled':
      return { ...pod, metadata: { ...metadata, uid }, status: { phase: 'Pending' } };
    case 'pending':
      return { ...bound, status: { phase: 'Pending' } };
    case 'running':
      return { ...bound, status: runningStatus(name) };
    case 'terminating':
      return {
        ...bound,
        metadata: { ...bound.metadata, deletionTimestamp: finishedAt },
        status: runningStatus(name),
      };
    case 'failed':
      return { ...bound, status: endStatus('Failed', name, 1, finishedAt) };
    case 'succeeded':
      return { ...bound, status: endStatus('Succeeded', name, 0, finishedAt) };
    case 'evicted':
      return {
        ...bound,
        status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' },
      };
  }
}

function runningStatus(name: string): PodStatus {
  return {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ name, ready: true, state: { running: {} } }],
  };
}

function endStatus(phase: string, name: string, exitCode: number, finishedAt: string): PodStatus {
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  return {
    phase,
    containerStatuses: [
      { name, state: { terminated: { exitCode, reason, message: 'last words', finishedAt } } },
    ],
  };
}

export function anObserved(cluster: DaskCluster, change: Partial<Observed> = {}): Observed {
  return {
    pods: [],
    service: { ...renderService(cluster, DEFAULT_SETTINGS.installation), metadata: serviceMetadata(cluster) },
    schedulerPod: undefined,
    credentials: { kind: 'present' },
    foreignPods: [],
    injectionMissing: false,
    injectionTrialDue: false,
    refusal: undefined,
    ...change,
  };
}

function serviceMetadata(cluster: DaskCluster): Pod['metadata'] {
  return { ...renderService(cluster, DEFAULT_SETTINGS.installation).metadata, uid: 'service-1' };
}

export function anInput(cluster: DaskCluster, change: Partial<Observed> = {}, now = NOW): PlanInput {
  return { cluster, errors: [], observed: anObserved(cluster, change), now, settings: DEFAULT_SETTINGS };
}

/** A status as the controller leaves it for a running cluster. */
export function aRunningStatus(change: Partial<DaskClusterStatus> = {}, nextSlot = 0): DaskClusterStatus {
  return {
    phase: 'Running',
    credentials: 'dask-credentials-demo',
    incarnation: 1,
    schedulerRestarts: 0,
    workers: {
      desired: 0,
      running: 0,
      pending: 0,
      failed: 0,
      selector: '',
      nextSlot,
      consecutiveFailures: 0,
    },
    ...change,
  };
}

/** The labels of a child, for tests that make pods of their own. */
export function childLabelsOf(
  cluster: string,
  component: string,
  incarnation = 1,
  slot = 0,
): Record<string, string> {
  return {
    [CLUSTER_LABEL]: cluster,
    [COMPONENT_LABEL]: component,
    [INCARNATION_LABEL]: String(incarnation),
    [SLOT_LABEL]: String(slot),
  };
}
