import type { DaskCluster } from '../../api/dask-cluster.ts';
import type { Pod, Service } from '../../api/kubernetes.ts';
import type { Finding } from '../findings.ts';
import type { Backoff } from '../lifecycle/backoff.ts';
import type { Grant } from '../limits/grant.ts';
import type { Installation } from '../render/labels.ts';

/** What is known of a cluster's Secret, which is looked up by name and never watched. */
export type CredentialsState =
  /** No Secret of that name, as far as anyone knows. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'present' }
  /** It was there and is gone. */
  | { readonly kind: 'lost'; readonly restorable: boolean }
  /** The name is still taken by the Secret of a deleted cluster of the same name. */
  | { readonly kind: 'leftover' }
  /** The name is taken by an object of somebody else's. */
  | { readonly kind: 'foreign' };

/** Everything that a plan is made from but the cluster and the time. */
export interface Observed {
  /** Every pod whose controller is this cluster, of whatever incarnation. */
  readonly pods: readonly Pod[];
  /** The object with the Service's name, whoever owns it. */
  readonly service: Service | undefined;
  /** The pod with the scheduler's name, whoever owns it, where it has our labels. */
  readonly schedulerPod: Pod | undefined;
  readonly credentials: CredentialsState;
  /** Pods of somebody else's, without our labels, that take a name this cluster needs. */
  readonly foreignPods: readonly string[];
  /** The pod webhook did not inject the credentials into the pod that was posted last. */
  readonly injectionMissing: boolean;
  /** It is time to post one pod again, to see whether the webhook is back. */
  readonly injectionTrialDue: boolean;
  /** What the API server said when it refused a write of the last plan; undefined where it took them all. */
  readonly refusal: string | undefined;
}

export interface PlanSettings {
  readonly installation: Installation;
  readonly workerBackoff: Backoff;
  readonly schedulerBackoff: Backoff;
  /** Restarts of a failed scheduler where `lifecycle.schedulerRestarts` does not say. */
  readonly schedulerRestarts: number;
  /** How long the pod of a scheduler that failed for good is kept, for its logs. */
  readonly retainFailedMs: number;
}

export const DEFAULT_SETTINGS: PlanSettings = {
  installation: { instance: 'daskwarden' },
  workerBackoff: { baseMs: 1_000, maxMs: 300_000, resetMs: 600_000 },
  schedulerBackoff: { baseMs: 1_000, maxMs: 60_000, resetMs: 600_000 },
  schedulerRestarts: 3,
  retainFailedMs: 3_600_000,
};

export interface PlanInput {
  /** The sound version of the stored object, without nulls. */
  readonly cluster: DaskCluster;
  /** What is wrong with it; a cluster with errors slipped in while the webhook was away, and is not worked on. */
  readonly errors: readonly Finding[];
  readonly observed: Observed;
  /** What the limits leave to it; absent means all. */
  readonly grant?: Grant | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly settings: PlanSettings;
}
