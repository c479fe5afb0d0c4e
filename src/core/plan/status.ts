import type {
  DaskCluster,
  DaskClusterStatus,
  Phase,
  Termination,
  WorkerStatus,
} from '../../api/dask-cluster.ts';
import { credentialsSecretName, ROLE_COMPONENT, schedulerPodName, serviceName } from '../../api/names.ts';
import { selectorLabels, selectorText, type Installation } from '../render/labels.ts';
import { isLive, isState, type Census } from './census.ts';
import { foldConditions, reasonOf, type Statement } from './conditions.ts';
import type { Counters } from './counters.ts';

/** Reason of the Ready condition of a cluster that was stopped by `active: false`; only such a one can be resumed. */
export const INACTIVE = 'Inactive';

/** A cluster that has ended and, unlike one that was only switched off, does not start again by itself. */
export function isFinished({ status }: DaskCluster): boolean {
  if (status?.phase === 'Failed') return true;
  return status?.phase === 'Stopped' && !wasInactive(status);
}

export function wasInactive(status: DaskClusterStatus): boolean {
  return status.phase === 'Stopped' && reasonOf(status.conditions, 'Ready') === INACTIVE;
}

export interface StatusInput {
  readonly cluster: DaskCluster;
  readonly installation: Installation;
  readonly census: Census;
  readonly counters: Counters;
  readonly phase: Phase;
  readonly statements: readonly Statement[];
  readonly message: string;
  readonly termination: Termination | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The whole status as facts give it; times that have been set stay. Written whole, in one request. */
export function statusOf(input: StatusInput): DaskClusterStatus {
  const { cluster, counters, phase, now, message } = input;
  const previous = cluster.status ?? {};
  const name = cluster.metadata.name ?? '';
  const generation = cluster.metadata.generation ?? 0;
  const ended = phase === 'Stopped' || phase === 'Failed';
  const lastTermination = input.termination ?? previous.lastTermination;
  const completionTime = ended ? (previous.completionTime ?? wholeSeconds(now)) : undefined;
  return {
    phase,
    form: 'template',
    observedGeneration: generation,
    ...(ended
      ? {}
      : {
          credentials: credentialsSecretName(name),
          service: serviceName(name),
          schedulerPod: schedulerPodName(name),
        }),
    incarnation: counters.incarnation,
    schedulerRestarts: counters.schedulerRestarts,
    startTime: previous.startTime ?? wholeSeconds(now),
    ...(completionTime === undefined ? {} : { completionTime }),
    workers: workersOf(input),
    ...(lastTermination === undefined ? {} : { lastTermination }),
    conditions: foldConditions(input.statements, previous.conditions, generation, wholeSeconds(now)),
    message,
  };
}

function workersOf({ cluster, installation, census, counters, phase }: StatusInput): WorkerStatus {
  const mine = census.workers.filter(({ incarnation }) => incarnation === counters.incarnation);
  const ended = phase === 'Stopped' || phase === 'Failed';
  return {
    desired: ended ? 0 : (cluster.spec.worker?.replicas ?? 0),
    running: mine.filter((member) => isState(member, 'running')).length,
    pending: mine.filter((member) => isLive(member) && !isState(member, 'running')).length,
    failed: mine.filter((member) => isState(member, 'failed')).length,
    selector: selectorText(selectorLabels(installation, cluster.metadata.name ?? '', ROLE_COMPONENT.worker)),
    nextSlot: counters.nextSlot,
    consecutiveFailures: counters.consecutiveFailures,
    ...(counters.lastFailureMs === undefined
      ? {}
      : { lastFailureTime: new Date(counters.lastFailureMs).toISOString() }),
  };
}

/** dask-gateway's API server parses times of exactly this shape: UTC, whole seconds, ending in Z. */
export function wholeSeconds(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
