import { describe, expect, it } from 'vitest';
import type { Container, PodSpec } from '../../../../src/api/kubernetes.ts';
import { restartPolicy } from '../../../../src/core/rules/restart-policy.ts';
import { subjectOf } from '../../../../src/core/rules/subject.ts';
import { IMAGE, withPodSpec } from '../../../support/builders.ts';
import { expectFinding, expectNothing } from '../../../support/verdict.ts';

type Restarts = Pick<Container, 'restartPolicy' | 'restartPolicyRules'>;

const restartOn = (...values: number[]): NonNullable<Restarts['restartPolicyRules']> => [
  { action: 'Restart', exitCodes: { operator: 'In', values } },
];
const withContainer = (role: 'scheduler' | 'worker', change: Restarts): ReturnType<typeof withPodSpec> =>
  withPodSpec(role, { containers: [{ name: `dask-${role}`, image: IMAGE, ...change }] });

describe('restart-policy of workers', () => {
  it.each<Partial<PodSpec>>([
    {},
    { restartPolicy: '' },
    { restartPolicy: 'OnFailure' },
    { restartPolicy: 'Never' },
  ])('allows %j', (spec) => {
    expectNothing(restartPolicy, withPodSpec('worker', spec));
  });

  it('refuses Always', () => {
    expectFinding(restartPolicy, withPodSpec('worker', { restartPolicy: 'Always' }), {
      path: 'spec.worker.template.spec.restartPolicy',
      says: `Invalid value: "Always": must be 'OnFailure' or 'Never': a retired worker would come back`,
    });
  });

  it('refuses Always also where nobody knows the Dask container', () => {
    const containers = [{ name: 'a' }, { name: 'b' }];
    expectFinding(restartPolicy, withPodSpec('worker', { restartPolicy: 'Always', containers }), {
      path: 'spec.worker.template.spec.restartPolicy',
      says: 'would come back',
    });
  });

  it("refuses the pod's Always beside a container's Never: an older API server drops that", () => {
    const containers = [{ name: 'dask-worker', restartPolicy: 'Never' }];
    expectFinding(restartPolicy, withPodSpec('worker', { restartPolicy: 'Always', containers }), {
      path: 'spec.worker.template.spec.restartPolicy',
      says: 'would come back',
    });
  });

  it.each<[Restarts, string, string]>([
    [{ restartPolicy: 'Always' }, 'restartPolicy', "must be 'OnFailure' or 'Never'"],
    [
      { restartPolicy: 'Never', restartPolicyRules: restartOn(0, 3) },
      'restartPolicyRules',
      'must not restart after exit code 0',
    ],
    [
      {
        restartPolicy: 'OnFailure',
        restartPolicyRules: [
          { action: 'RestartAllContainers', exitCodes: { operator: 'NotIn', values: [1] } },
        ],
      },
      'restartPolicyRules',
      'must not restart after exit code 0',
    ],
  ])("refuses the Dask container's own %j", (change, field, says) => {
    const path = `spec.worker.template.spec.containers[0].${field}`;
    expectFinding(restartPolicy, withContainer('worker', change), { path, says });
  });

  it.each<Restarts>([
    { restartPolicy: '' },
    { restartPolicy: 'Never' },
    { restartPolicy: 'OnFailure', restartPolicyRules: restartOn(42) },
    { restartPolicyRules: restartOn(0) },
  ])("allows the Dask container's own %j", (change) => {
    expectNothing(restartPolicy, withContainer('worker', change));
  });

  it('allows sidecars and init containers that run on', () => {
    const proxy = { name: 'proxy', image: IMAGE, restartPolicy: 'Always' };
    const spec = {
      containers: [proxy, { name: 'dask-worker' }],
      initContainers: [{ ...proxy, name: 'init' }],
    };
    expectNothing(restartPolicy, withPodSpec('worker', spec));
  });
});

describe('restart-policy of schedulers', () => {
  it.each<Partial<PodSpec>>([{}, { restartPolicy: '' }, { restartPolicy: 'Never' }])('allows %j', (spec) => {
    expectNothing(restartPolicy, withPodSpec('scheduler', spec));
  });

  it.each(['Always', 'OnFailure'])(
    'warns of %s: the kubelet would restart it without its workers',
    (value) => {
      expectFinding(restartPolicy, withPodSpec('scheduler', { restartPolicy: value }), {
        path: 'spec.scheduler.template.spec.restartPolicy',
        says: "'Never' lets the controller restart a failed scheduler together with its workers",
        level: 'warning',
      });
    },
  );

  it("warns of the Dask container's own policy and rules", () => {
    const paths = [
      { restartPolicy: 'OnFailure' },
      { restartPolicy: 'Never', restartPolicyRules: restartOn(1) },
      { restartPolicy: 'Never', restartPolicyRules: restartOn(0) },
    ].map((change) =>
      restartPolicy.check(subjectOf(withContainer('scheduler', change))).map(({ path }) => path.toString()),
    );
    const container = 'spec.scheduler.template.spec.containers[0]';
    const rules = `${container}.restartPolicyRules`;
    expect(paths).toEqual([[`${container}.restartPolicy`], [rules], [rules]]);
  });
});
