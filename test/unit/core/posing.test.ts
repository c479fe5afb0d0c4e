import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kubernetes.ts';
import { format } from '../../../src/core/findings.ts';
import { judgePod, type PodReview } from '../../../src/core/posing.ts';

const CONTROLLER = 'system:serviceaccount:daskwarden:controller';
const CLUSTER = 'gateway.dask.org/cluster';
const INSTANCE = 'gateway.dask.org/instance';
const COMPONENT = 'app.kubernetes.io/component';

const scheduler = { [CLUSTER]: 'demo', [INSTANCE]: 'prod', [COMPONENT]: 'dask-scheduler' };
const worker = { ...scheduler, [COMPONENT]: 'dask-worker' };
const pod = (labels?: Readonly<Record<string, string>>): KubeObject => ({
  metadata: { name: 'p', ...(labels && { labels }) },
});

function judged(review: Partial<PodReview>): string[] {
  const findings = judgePod({
    pod: pod(),
    username: 'alice',
    podCreators: [CONTROLLER],
    ...review,
  });
  expect(findings.every(({ rule, level }) => rule === 'posing' && level === 'error')).toBe(true);
  return findings.map(format);
}

describe('posing: creating a pod', () => {
  it.each([scheduler, worker, { [CLUSTER]: 'demo', [COMPONENT]: 'dask-scheduler' }])(
    'is refused with %j',
    (labels) => {
      expect(judged({ pod: pod(labels) })).toEqual([
        `metadata.labels[${COMPONENT}]: Forbidden: only the controller may create a pod that is a scheduler or worker of 'demo'; remove the label '${COMPONENT}' or '${CLUSTER}'`,
      ]);
    },
  );

  it.each([
    undefined,
    {},
    { [CLUSTER]: 'demo' },
    { [COMPONENT]: 'dask-scheduler' },
    { [CLUSTER]: 'demo', [COMPONENT]: 'credentials' },
    { [CLUSTER]: 'demo', [COMPONENT]: 'Dask-Scheduler' },
  ])('is allowed with %j', (labels) => {
    expect(judged({ pod: pod(labels) })).toEqual([]);
  });

  it('is allowed to the configured accounts alone', () => {
    expect(judged({ pod: pod(scheduler), username: CONTROLLER })).toEqual([]);
    expect(judged({ pod: pod(scheduler), username: `${CONTROLLER}2` })).toHaveLength(1);
    expect(judged({ pod: pod(scheduler), username: '' })).toHaveLength(1);
  });
});

describe('posing: updating a pod', () => {
  it.each([
    ['labels of its own', { ...worker, team: 'a' }, worker],
    ['nothing', scheduler, scheduler],
    ["labels of a pod that is nobody's", { [INSTANCE]: 'x' }, { [INSTANCE]: 'y' }],
  ])('may change %s', (_what, labels, old) => {
    expect(judged({ pod: pod(labels), oldPod: pod(old) })).toEqual([]);
  });

  it.each<
    [
      string,
      Readonly<Record<string, string>> | undefined,
      Readonly<Record<string, string>> | undefined,
      string[],
    ]
  >([
    ['become a worker', worker, undefined, [CLUSTER, INSTANCE, COMPONENT]],
    ['become a scheduler by one label', scheduler, { ...scheduler, [COMPONENT]: 'x' }, [COMPONENT]],
    ['go over to another cluster', { ...worker, [CLUSTER]: 'other' }, worker, [CLUSTER]],
    ['go over to another instance', { ...worker, [INSTANCE]: 'other' }, worker, [INSTANCE]],
    ['turn from worker to scheduler', scheduler, worker, [COMPONENT]],
    ['leave its cluster', undefined, worker, [CLUSTER, INSTANCE, COMPONENT]],
  ])('may not %s', (...[, labels, old, keys]) => {
    const told = judged({ pod: pod(labels), oldPod: pod(old) });
    expect(told).toEqual(
      keys.map(
        (key) =>
          `metadata.labels[${key}]: Forbidden: only the controller may change the labels of a scheduler or worker`,
      ),
    );
  });

  it('is free to the configured accounts', () => {
    expect(judged({ pod: pod(scheduler), oldPod: pod(worker), username: CONTROLLER })).toEqual([]);
  });
});

describe("posing: a cluster's client", () => {
  const client = { 'daskwarden.dev/connect': 'demo' };

  it.each([CONTROLLER, 'alice'])('is no scheduler or worker, whoever creates it: %s', (username) => {
    expect(judged({ pod: pod({ ...worker, ...client }), username })).toContain(
      "metadata.labels[daskwarden.dev/connect]: Forbidden: a scheduler or worker has its cluster's credentials already; remove the label",
    );
    expect(judged({ pod: pod(client), username })).toEqual([]);
  });

  it('is not what a worker becomes by update; what is so already may stay', () => {
    const both = pod({ ...worker, ...client });
    expect(judged({ pod: both, oldPod: pod(worker), username: CONTROLLER })).toHaveLength(1);
    expect(judged({ pod: both, oldPod: pod(client), username: CONTROLLER })).toHaveLength(1);
    expect(judged({ pod: both, oldPod: both, username: CONTROLLER })).toEqual([]);
    expect(judged({ pod: pod(worker), oldPod: both, username: CONTROLLER })).toEqual([]);
  });
});
