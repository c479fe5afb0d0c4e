import type { KubeObject, ObjectMeta, PodSpec, Resource } from './kubernetes.ts';
import {
  DASK_CLUSTER_KIND,
  DASK_CLUSTER_PLURAL,
  GATEWAY_GROUP,
  GATEWAY_VERSION,
  type Role,
} from './names.ts';

export const DASK_CLUSTERS: Resource = {
  group: GATEWAY_GROUP,
  version: GATEWAY_VERSION,
  plural: DASK_CLUSTER_PLURAL,
  kind: DASK_CLUSTER_KIND,
  namespaced: true,
};

/** `gateway`: written by dask-gateway's API server (`spec.config`). `template`: by people and GitOps (`spec.scheduler`). */
export type Form = 'gateway' | 'template';

export interface PodTemplate {
  readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations' | 'name' | 'namespace'>;
  readonly spec?: PodSpec;
}

export interface SchedulerSpec {
  readonly template?: PodTemplate;
}

export interface WorkerSpec {
  readonly template?: PodTemplate;
  /** Absent means 0. */
  readonly replicas?: number;
}

export interface Lifecycle {
  readonly startDeadlineSeconds?: number;
  readonly idleTimeoutSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly ttlSecondsAfterFinished?: number;
  /** How many failures of the scheduler are answered with a restart before the cluster is Failed. Absent means 3. */
  readonly schedulerRestarts?: number;
  readonly nodeLostSeconds?: number;
}

export interface Placement {
  readonly externalCluster?: string;
  readonly namespaceMode?: string;
  readonly namespace?: string;
}

export interface DaskClusterSpec {
  // Template form.
  readonly scheduler?: SchedulerSpec;
  readonly worker?: WorkerSpec;
  readonly info?: Readonly<Record<string, string>>;
  // Gateway form.
  readonly username?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly replicas?: number;
  // Both.
  /** Absent means true; false stops the cluster. */
  readonly active?: boolean;
  readonly placement?: Placement;
  readonly lifecycle?: Lifecycle;
  readonly routes?: string;
}

/** The closed set that dask-gateway's API server understands; anything else breaks its synchronisation. */
export type Phase = 'Pending' | 'Running' | 'Stopped' | 'Failed';

export type ConditionType =
  'Ready' | 'Progressing' | 'Stalled' | 'CredentialsReady' | 'SchedulerReady' | 'WorkersReady' | 'Limited';

export interface Condition {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase, for programs. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
}

/** How a Dask container ended, so that "why?" is answered after its pod is gone. */
export interface Termination {
  readonly role: Role;
  readonly pod: string;
  readonly container: string;
  readonly exitCode?: number;
  readonly reason: string;
  /** The container's last words, cut to 2 KiB. */
  readonly message?: string;
  /** RFC 3339. */
  readonly finishedAt: string;
}

export interface WorkerStatus {
  readonly desired: number;
  readonly running: number;
  readonly pending: number;
  readonly failed: number;
  /** Label selector of the worker pods, for `kubectl get pods -l` and autoscalers. */
  readonly selector: string;
  /**
   * The number of the next worker to be created. It is written before the pods are posted, so that no name is ever
   * used twice: not after a crash, not after a lost answer.
   */
  readonly nextSlot: number;
  /** Failures since the last quiet period; the delay before the next replacement doubles with it. */
  readonly consecutiveFailures: number;
  /** When the last counted failure happened (RFC 3339). */
  readonly lastFailureTime?: string;
}

export interface DaskClusterStatus {
  readonly phase?: Phase;
  readonly form?: Form;
  readonly observedGeneration?: number;
  /** Name of the Secret with the cluster's certificate, key and token. */
  readonly credentials?: string;
  readonly service?: string;
  readonly schedulerPod?: string;
  /** Counts the schedulers that this object has had, from 1. */
  readonly incarnation?: number;
  /** Schedulers of this activation that failed and were restarted. */
  readonly schedulerRestarts?: number;
  readonly startTime?: string;
  /** `YYYY-MM-DDTHH:MM:SSZ`: dask-gateway's API server parses exactly this. */
  readonly completionTime?: string;
  readonly workers?: WorkerStatus;
  readonly lastTermination?: Termination;
  readonly conditions?: readonly Condition[];
  readonly message?: string;
}

export interface DaskCluster extends KubeObject {
  readonly spec: DaskClusterSpec;
  readonly status?: DaskClusterStatus;
}

/** The form of an object, or undefined where it has none or both. */
export function formOf(spec: DaskClusterSpec): Form | undefined {
  const gateway = spec.config !== undefined;
  const template = spec.scheduler !== undefined;
  if (gateway === template) return undefined;
  return gateway ? 'gateway' : 'template';
}
