/** What Kubernetes says of the creation of one pod. */
export interface PodVerdict {
  /** Why the JSON is no pod at all; everything else is then absent. */
  readonly decode?: string;
  /** Unknown and duplicate fields, in the API server's words: `unknown field "spec.containers[0].foo"`. */
  readonly strict?: readonly string[];
  readonly errors?: readonly PodFault[];
  /** As the API server sends them: mostly `<path>: <text>`. */
  readonly warnings?: readonly string[];
  /** What the level of pod security forbids: a short reason, and who breaks it. */
  readonly podSecurity?: readonly { readonly reason: string; readonly message: string }[];
  /** How many errors were left out. */
  readonly more?: number;
}

export interface PodFault {
  /** Path in the pod. */
  readonly field: string;
  /** `FieldValueInvalid` and so on, as in the causes of a Status. */
  readonly reason: string;
  readonly message: string;
}

/** Whether there is anything to be said of a pod. */
export function isSilent(verdict: PodVerdict): boolean {
  return Object.keys(verdict).length === 0;
}
