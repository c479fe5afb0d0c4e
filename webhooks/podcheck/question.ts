/** What podcheck is asked of one pod. */
export interface PodQuestion {
  /** JSON of the pod as it would be posted. */
  readonly pod: string;
  /** JSON of the pod that the stored object leads to. */
  readonly oldPod?: string;
  /** The level of pod security that its namespace enforces; absent for none. */
  readonly level?: 'baseline' | 'restricted';
}

/** The request that main.go reads. */
export function encodeQuestion({ pod, oldPod, level }: PodQuestion): string {
  const old = oldPod === undefined ? '' : `,"oldPod":${oldPod}`;
  return `{"pod":${pod}${old}${level === undefined ? '' : `,"level":"${level}"`}}`;
}
