/** What podcheck is asked of one pod. */
export interface PodQuestion {
  /** JSON of the pod as it would be posted, on one line. */
  readonly pod: string;
  /** The same of the pod that the stored object leads to. */
  readonly oldPod?: string;
  /** The level of pod security that its namespace enforces; absent for none. */
  readonly level?: 'baseline' | 'restricted';
}

/** The request that main.go reads, on three lines: no JSON of one piece has a line break in it. */
export function encodeQuestion({ pod, oldPod = '', level }: PodQuestion): string {
  return `${level ?? ''}\n${oldPod}\n${pod}`;
}
