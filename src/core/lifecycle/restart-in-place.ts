import type { Container } from '../../api/kubernetes.ts';

const RESTARTING_ACTIONS: ReadonlySet<string> = new Set(['Restart', 'RestartAllContainers']);

/**
 * Whether the kubelet starts a container again in its pod after it ended: by the first of the container's own rules
 * that matches, else by its own policy, else by the pod's. Source: ContainerShouldRestart of
 * k8s.io/kubernetes/pkg/api/v1/pod.
 * @param podPolicy `restartPolicy` of the pod; absent means Always
 */
export function restartsInPlace(
  podPolicy: string | undefined,
  { restartPolicy, restartPolicyRules }: Pick<Container, 'restartPolicy' | 'restartPolicyRules'>,
  exitCode: number,
): boolean {
  // The empty text is absent, as everywhere in the Pod API.
  const own = restartPolicy === '' ? undefined : restartPolicy;
  if (own !== undefined) {
    const rule = restartPolicyRules?.find((candidate) => matches(candidate.exitCodes, exitCode));
    if (rule !== undefined && RESTARTING_ACTIONS.has(rule.action)) return true;
  }
  const policy = own ?? podPolicy;
  return policy === 'OnFailure' ? exitCode !== 0 : policy !== 'Never';
}

type ExitCodes = NonNullable<Container['restartPolicyRules']>[number]['exitCodes'];

function matches(exitCodes: ExitCodes, exitCode: number): boolean {
  const listed = exitCodes?.values?.includes(exitCode) === true;
  return exitCodes?.operator === 'In' ? listed : exitCodes?.operator === 'NotIn' && !listed;
}
