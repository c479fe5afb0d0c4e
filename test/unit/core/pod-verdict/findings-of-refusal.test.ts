import { describe, expect, it } from 'vitest';
import { format, type Finding } from '../../../../src/core/findings.ts';
import { DEFAULT_SETTINGS } from '../../../../src/core/plan/observed.ts';
import {
  faultsOfPod,
  findingsOfRefusal,
  type Refusal,
} from '../../../../src/core/pod-verdict/findings-of-refusal.ts';
import { findingsOfVerdict } from '../../../../src/core/pod-verdict/findings-of-verdict.ts';
import type { JudgedPod } from '../../../../src/core/pod-verdict/judged-pod.ts';
import { templatePods } from '../../../../src/core/pod-verdict/template-pods.ts';
import { withPodSpec } from '../../../support/builders.ts';
import { INSECURE, INVALID, UNDECODED, type Recorded } from './recorded-refusals.ts';

const AT = 'spec.worker.template';

function workerOf(podSpec: object): JudgedPod {
  const pods = templatePods(withPodSpec('worker', podSpec), DEFAULT_SETTINGS.installation);
  return pods.find(({ role }) => role === 'worker')!;
}

const said = (findings: readonly Finding[]): string[] =>
  findings.map((finding) => `${finding.level} ${finding.rule} ${finding.reason} ${format(finding)}`);

describe('the faults of a pod that was refused', () => {
  it.each<[string, Recorded]>([
    ['Kubernetes finds invalid', INVALID],
    ['is not secure enough for its namespace', INSECURE],
  ])('are what admission says of one that %s', (_what, { podSpec, level, refusal, verdict }) => {
    const pod = workerOf(podSpec);
    const admission = findingsOfVerdict(pod, verdict, { podSecurity: level, kubernetes: '1.36.3' });
    expect(admission.length).toBeGreaterThanOrEqual(5);
    expect(said(faultsOfPod(pod, refusal))).toEqual(said(admission));
    expect(said(findingsOfRefusal(pod, refusal))).toEqual(said(admission));
  });

  it('stand where the user wrote them', () => {
    expect(
      faultsOfPod(workerOf(INVALID.podSpec), INVALID.refusal).map(({ path }) => path.toString()),
    ).toEqual([
      `${AT}.spec.containers[0].env[0].name`,
      `${AT}.spec.containers[0].volumeMounts[0].name`,
      `${AT}.spec.containers[0].volumeMounts[1].name`,
      `${AT}.spec.containers[0].volumeMounts[1].mountPath`,
      `${AT}.spec.nodeSelector`,
    ]);
  });

  it('stand at the template where the API server could not read it', () => {
    expect(said(faultsOfPod(workerOf({ priority: 'high' }), UNDECODED))).toEqual([
      `error pod-validation FieldValueInvalid ${AT}: Invalid value: json: cannot unmarshal string into Go struct field PodSpec.spec.priority of type int32`,
    ]);
  });

  it('are told as one where the words cannot be taken apart', () => {
    const message = 'pods "p" is forbidden: violates PodSecurity "baseline:v1.36": odd (a (b) c), other';
    expect(said(faultsOfPod(workerOf({}), { message, reason: 'Forbidden' }))).toEqual([
      `error pod-security FieldValueForbidden ${AT}.spec: Forbidden: violates PodSecurity "baseline": odd (a (b) c), other`,
    ]);
  });

  const causes = [{ field: 'spec.nodeName', reason: 'FieldValueInvalid', message: 'no' }];
  it.each<[string, Refusal]>([
    ['a quota', { reason: 'Forbidden', message: 'pods "p" is forbidden: exceeded quota: few' }],
    [
      'a right',
      { reason: 'Forbidden', message: 'pods is forbidden: User "u" cannot create resource "pods"' },
    ],
    [
      'another webhook',
      {
        reason: 'Invalid',
        message: 'admission webhook "w" denied the request: Pod "p" is invalid',
        details: { causes },
      },
    ],
    [
      'an admission policy',
      {
        reason: 'Invalid',
        message: `pods "p" is forbidden: ValidatingAdmissionPolicy 'a' denied request`,
        details: { causes },
      },
    ],
    [
      'a webhook that quotes',
      { reason: 'Forbidden', message: 'no: violates PodSecurity "baseline:latest": x' },
    ],
    ['a bad request', { reason: 'BadRequest', message: 'the dryRun option is unknown' }],
    ['a namespace that is gone', { reason: 'NotFound', message: 'namespaces "n" not found' }],
    ['nothing at all', {}],
  ])('are none where it is about %s', (_what, refusal) => {
    expect(faultsOfPod(workerOf({}), refusal)).toEqual([]);
    expect(findingsOfRefusal(workerOf({}), refusal)).toHaveLength(1);
  });
});
