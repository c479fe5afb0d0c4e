import { describe, expect, it } from 'vitest';
import type { Container } from '../../../../src/api/kubernetes.ts';
import { requestOverLimit } from '../../../../src/core/rules/request-over-limit.ts';
import { subjectOf } from '../../../../src/core/rules/subject.ts';
import { IMAGE, withDaskContainer, withPodSpec } from '../../../support/builders.ts';
import { expectFinding, expectNothing } from '../../../support/verdict.ts';

type Quantities = Readonly<Record<string, string>>;

const resources = (requests: Quantities, limits: Quantities): NonNullable<Container['resources']> => ({
  requests,
  limits,
});
/** A quantity may be a number in JSON, which the client library's types do not say. */
const number = (value: number): string => value as unknown as string;

describe('request-over-limit', () => {
  it.each<[Quantities, Quantities]>([
    [{ cpu: '1' }, { cpu: '1' }],
    [{ cpu: '1000m' }, { cpu: '1' }],
    [{ cpu: number(0.5) }, { cpu: '500m' }],
    [{ memory: '1Gi' }, { memory: '1.1G' }],
    [{ memory: '2Gi' }, { cpu: '1' }],
    [{}, { cpu: '1' }],
    [{ cpu: '9' }, {}],
    [{ 'example.org/gpu': '1' }, { 'example.org/gpu': '1' }],
    [{ memory: '100Ei' }, { memory: '10Ei' }],
    [{ cpu: 'two' }, { cpu: '1' }],
    [{ cpu: '2' }, { cpu: 'one' }],
    [{ constructor: '2' }, {}],
  ])('allows to request %j of %j', (requests, limits) => {
    expectNothing(requestOverLimit, withDaskContainer('worker', { resources: resources(requests, limits) }));
  });

  it.each<[Quantities, Quantities, string, string]>([
    [
      { cpu: '2' },
      { cpu: '1' },
      'cpu',
      'Invalid value: "2": must be less than or equal to the cpu limit of 1',
    ],
    [{ cpu: number(1.5) }, { cpu: number(1) }, 'cpu', 'Invalid value: 1.5: must be'],
    [{ cpu: '1001m' }, { cpu: '1' }, 'cpu', 'cpu limit of 1'],
    [{ memory: '1Gi' }, { memory: '1G' }, 'memory', 'memory limit of 1G'],
    [{ memory: '1Gi' }, { memory: '1073741823' }, 'memory', 'memory limit of 1073741823'],
    [{ cpu: '1' }, { cpu: '0' }, 'cpu', 'cpu limit of 0'],
    [{ 'example.org/gpu': '2' }, { 'example.org/gpu': '1' }, 'example.org/gpu', 'example.org/gpu limit of 1'],
  ])('refuses to request %j of %j', (...[requests, limits, key, says]) => {
    expectFinding(requestOverLimit, withDaskContainer('worker', { resources: resources(requests, limits) }), {
      path: `spec.worker.template.spec.containers[0].resources.requests[${key}]`,
      says,
    });
  });

  it('looks at every container and at the whole pod', () => {
    const over = resources({ cpu: '2', memory: '2' }, { cpu: '1', memory: '2' });
    const cluster = withPodSpec('scheduler', {
      resources: over,
      containers: [
        { name: 'proxy', resources: over },
        { name: 'dask-scheduler', image: IMAGE, resources: over },
      ],
      initContainers: [{ name: 'init', resources: over }],
    });
    const spec = 'spec.scheduler.template.spec';
    const request = 'resources.requests[cpu]';
    expect(requestOverLimit.check(subjectOf(cluster)).map(({ path }) => path.toString())).toEqual([
      `${spec}.${request}`,
      `${spec}.containers[0].${request}`,
      `${spec}.containers[1].${request}`,
      `${spec}.initContainers[0].${request}`,
    ]);
  });
});
