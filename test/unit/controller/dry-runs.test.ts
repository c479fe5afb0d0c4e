import { beforeEach, describe, expect, test } from 'vitest';
import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import type { Pod, Status } from '../../../src/api/kubernetes.ts';
import { DryRuns } from '../../../src/controller/dry-runs.ts';
import { format } from '../../../src/core/findings.ts';
import { ApiError, TransportError } from '../../../src/kube/errors.ts';
import { aGatewayCluster } from '../../support/gateway-cluster.ts';

const { signal } = new AbortController();
const CALL = { method: 'POST', path: '/api/v1/namespaces/team-a/pods' };
const WORKER = 'dask-worker';

interface Posted {
  readonly pod: Pod;
  readonly options: object;
}

let posted: Posted[];
/** What is wrong with a pod; undefined where the API server takes it. */
let answer: (component: string) => Error | undefined;
let dryRuns: DryRuns;

beforeEach(() => {
  posted = [];
  answer = () => undefined;
  dryRuns = new DryRuns({
    async create(_resource, _at, object, options): Promise<never> {
      const pod = object as unknown as Pod;
      posted.push({ pod, options: options ?? {} });
      await Promise.resolve();
      const fault = answer(pod.metadata.labels?.['app.kubernetes.io/component'] ?? '');
      if (fault !== undefined) throw fault;
      return object as never;
    },
  });
});

const told = async (cluster: DaskCluster): Promise<readonly string[]> =>
  (await dryRuns.findingsOf(cluster, signal)).map(format);

function refused(code: number, status: Partial<Status>): ApiError {
  return new ApiError(CALL, code, status);
}

const FAULT = refused(422, {
  reason: 'Invalid',
  message: 'Pod "dask-worker-demo-x" is invalid: spec.containers[0].env[6].name: Invalid value: "A=B": no',
  details: {
    kind: 'Pod',
    causes: [
      { field: 'spec.nodeSelector', reason: 'FieldValueInvalid', message: 'Invalid value: "a b": no' },
    ],
  },
});
const TEXT = 'spec.config.worker_extra_pod_config.nodeSelector: Invalid value: "a b": no';
const FAULTY = aGatewayCluster({ worker_extra_pod_config: { nodeSelector: { 'a b': 'c' } } });
const nextGeneration = (cluster: DaskCluster): DaskCluster => ({
  ...cluster,
  metadata: { ...cluster.metadata, generation: (cluster.metadata.generation ?? 0) + 1 },
});

describe('a dry run', () => {
  test('asks about both pods as they will be created, and stores nothing', async () => {
    expect(await told(FAULTY)).toEqual([]);
    expect(posted.map(({ pod }) => pod.metadata.labels?.['app.kubernetes.io/component'])).toEqual([
      'dask-scheduler',
      WORKER,
    ]);
    expect(posted[1]?.pod.spec).toMatchObject({ nodeSelector: { 'a b': 'c' } });
    for (const { options } of posted) expect(options).toMatchObject({ dryRun: true, signal });
  });

  test('tells what Kubernetes refuses where the user wrote it', async () => {
    answer = (component) => (component === WORKER ? FAULT : undefined);
    expect(await told(FAULTY)).toEqual([TEXT]);
  });

  test('is made once for each version of a spec, and again for a cluster that was forgotten', async () => {
    answer = () => FAULT;
    await told(FAULTY);
    await told({ ...FAULTY, status: { phase: 'Pending' } });
    expect(posted).toHaveLength(2);
    answer = () => undefined;
    expect(await told(nextGeneration(FAULTY))).toEqual([]);
    expect(posted).toHaveLength(4);
    dryRuns.forget(FAULTY.metadata.uid ?? '');
    await told(nextGeneration(FAULTY));
    expect(posted).toHaveLength(6);
  });
});

describe('what is no fault of the pod', () => {
  test.each([
    ['a quota', refused(403, { reason: 'Forbidden', message: 'pods "p" is forbidden: exceeded quota: few' })],
    ['a name that is taken', refused(409, { reason: 'AlreadyExists' })],
    ['a namespace that ends', refused(404, { reason: 'NotFound' })],
  ])('ends nothing, and is not asked about again: %s', async (_what, error) => {
    answer = () => error;
    expect(await told(FAULTY)).toEqual([]);
    answer = () => FAULT;
    expect(await told(FAULTY)).toEqual([]);
    expect(posted).toHaveLength(2);
  });

  test.each([
    ['too many requests', refused(429, { reason: 'TooManyRequests' })],
    ['a webhook that is away', refused(500, { reason: 'InternalError', message: 'failed calling webhook' })],
    ['a server that is overloaded', refused(503, { reason: 'ServiceUnavailable' })],
    ['a request that took too long', refused(408, { reason: 'Timeout' })],
    ['a conflict', refused(409, { reason: 'Conflict' })],
    ['nobody known', refused(401, { reason: 'Unauthorized' })],
    ['no answer', new TransportError(CALL, 'unknown', new Error('reset'))],
  ])('is thrown and asked about again: %s', async (_what, error) => {
    answer = (component) => (component === WORKER ? error : undefined);
    await expect(told(FAULTY)).rejects.toBe(error);
    answer = (component) => (component === WORKER ? FAULT : undefined);
    expect(await told(FAULTY)).toEqual([TEXT]);
  });
});
