import { describe, expect, it } from 'vitest';
import type { Container } from '../../../../src/api/kubernetes.ts';
import { restartsInPlace } from '../../../../src/core/lifecycle/restart-in-place.ts';

type Own = Pick<Container, 'restartPolicy' | 'restartPolicyRules'>;

const rule = (
  action: string,
  operator: string,
  ...values: number[]
): NonNullable<Own['restartPolicyRules']>[0] => ({
  action,
  exitCodes: { operator, values },
});

/** As ContainerShouldRestart of Kubernetes 1.36 has it. */
describe('restartsInPlace', () => {
  it.each<[string | undefined, boolean, boolean]>([
    ['Always', true, true],
    ['OnFailure', false, true],
    ['Never', false, false],
    [undefined, true, true],
  ])('goes by the policy of the pod: %s', (policy, after0, after1) => {
    expect(restartsInPlace(policy, {}, 0)).toBe(after0);
    expect(restartsInPlace(policy, {}, 1)).toBe(after1);
    expect(restartsInPlace(policy, { restartPolicy: '' }, 0)).toBe(after0);
  });

  it.each<[Own, boolean, boolean]>([
    [{ restartPolicy: 'Always' }, true, true],
    [{ restartPolicy: 'OnFailure' }, false, true],
    [{ restartPolicy: 'Never' }, false, false],
    [{ restartPolicy: 'Never', restartPolicyRules: [rule('Restart', 'In', 0)] }, true, false],
    [{ restartPolicy: 'Never', restartPolicyRules: [rule('Restart', 'NotIn', 0, 2)] }, false, true],
    [{ restartPolicy: 'Never', restartPolicyRules: [rule('RestartAllContainers', 'In', 1)] }, false, true],
    [
      { restartPolicy: 'Never', restartPolicyRules: [rule('Other', 'In', 1), rule('Restart', 'In', 1)] },
      false,
      false,
    ],
    [{ restartPolicy: 'Never', restartPolicyRules: [rule('Restart', 'Is', 1)] }, false, false],
    [{ restartPolicy: 'Never', restartPolicyRules: [{ action: 'Restart' }] }, false, false],
    [{ restartPolicyRules: [rule('Restart', 'In', 0)] }, false, false],
  ])("goes by the container's own before the pod's Never: %j", (own, after0, after1) => {
    expect(restartsInPlace('Never', own, 0)).toBe(after0);
    expect(restartsInPlace('Never', own, 1)).toBe(after1);
  });

  it("goes by the container's Never before the pod's Always", () => {
    expect(restartsInPlace('Always', { restartPolicy: 'Never' }, 1)).toBe(false);
  });
});
