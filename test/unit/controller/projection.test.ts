import { expect, test } from 'vitest';
import type { Pod } from '../../../src/api/kubernetes.ts';
import { takeCensus } from '../../../src/core/plan/census.ts';
import { projectPod } from '../../../src/controller/projection.ts';
import { aCluster, aScheduler, aWorker, NOW, type Stage } from '../../support/builders.ts';

const cluster = aCluster({ replicas: 1 });
const STAGES: readonly Stage[] = [
  'unscheduled',
  'pending',
  'running',
  'failed',
  'succeeded',
  'evicted',
  'terminating',
];

function withoutPods(census: ReturnType<typeof takeCensus>): object {
  const bare = ({ state, slot, incarnation }: (typeof census.workers)[number]): object => ({
    state,
    slot,
    incarnation,
  });
  return { schedulers: census.schedulers.map(bare), workers: census.workers.map(bare) };
}

test.each(STAGES)('a plan sees the same of a pod that is %s', (stage) => {
  const pods = [aScheduler(cluster, stage), aWorker(cluster, stage, 4)];
  const projected = takeCensus(pods.map(projectPod), NOW);
  expect(withoutPods(projected)).toEqual(withoutPods(takeCensus(pods, NOW)));
});

test('what no plan reads is left out', () => {
  const pod: Pod = aWorker(cluster, 'running', 0);
  const container = { ...pod.spec.containers[0]!, env: [{ name: 'A', value: 'secret' }] };
  const full: Pod = {
    ...pod,
    metadata: { ...pod.metadata, annotations: { a: 'long' } },
    spec: { ...pod.spec, containers: [container], volumes: [{ name: 'v' }] },
    status: {
      ...pod.status,
      containerStatuses: [{ name: 'dask-worker', image: 'x', state: { running: {} } } as never],
    },
  };
  const projected = projectPod(full);
  expect(JSON.stringify(projected)).not.toMatch(/secret|long|"v"|"image"/);
  expect(projected.metadata).toMatchObject({ name: pod.metadata.name, uid: pod.metadata.uid });
  expect(projected.metadata.ownerReferences).toEqual(pod.metadata.ownerReferences);
});

test("a container that is restarted in place is told by its own policy and rules, not by the pod's alone", () => {
  const failed = aWorker(cluster, 'failed', 0);
  const [container] = failed.spec.containers;
  const rules = [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }];
  const restarting: Pod = {
    ...failed,
    spec: {
      ...failed.spec,
      restartPolicy: 'Never',
      containers: [{ ...container!, restartPolicy: 'Never', restartPolicyRules: rules }],
    },
    status: { ...failed.status, phase: 'Running' },
  };
  const state = (pod: Pod): string | undefined => takeCensus([pod], NOW).workers[0]?.state.kind;
  expect(state(restarting)).toBe('pending');
  expect(state(projectPod(restarting))).toBe('pending');
});
