import { describe, expect, it } from 'vitest';
import type {
  ContainerState,
  ContainerStatus,
  Pod,
  PodSpec,
  PodStatus,
} from '../../../../src/api/kubernetes.ts';
import { podState } from '../../../../src/core/lifecycle/pod-state.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const ENDED = '2026-03-01T11:00:00Z';
const ENDED_MS = Date.parse(ENDED);

type Terminated = NonNullable<ContainerState['terminated']>;

/** A bound worker with a sidecar. */
function worker(status: PodStatus | undefined, spec: Partial<PodSpec> = {}): Pod {
  return {
    metadata: { name: 'w-0', labels: { 'daskwarden.dev/container': 'main' } },
    spec: {
      restartPolicy: 'OnFailure',
      nodeName: 'node-1',
      containers: [{ name: 'proxy' }, { name: 'main' }],
      ...spec,
    },
    ...(status && { status }),
  };
}

const dask = (state: ContainerState): readonly ContainerStatus[] => [
  { name: 'proxy', ready: true, state: { running: {} } },
  { name: 'main', state },
];
const exited = (exitCode: number, change: Partial<Terminated> = {}): ContainerState => ({
  terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', finishedAt: ENDED, ...change },
});
const never = { restartPolicy: 'Never' };
const disruptionTarget = { type: 'DisruptionTarget', status: 'True', lastTransitionTime: ENDED };

const stateOf = (status: PodStatus | undefined, spec?: Partial<PodSpec>): ReturnType<typeof podState> =>
  podState(worker(status, spec), 'worker', NOW);

describe('a pod that has not ended', () => {
  it.each<[string, PodStatus | undefined, object]>([
    ['without any status', undefined, { reason: undefined }],
    ['without container statuses', { phase: 'Pending' }, { reason: undefined }],
    [
      'that waits for its image',
      { phase: 'Pending', containerStatuses: dask({ waiting: { reason: 'ErrImagePull' } }) },
      { reason: 'ErrImagePull' },
    ],
    [
      'that crashes again and again',
      { phase: 'Running', containerStatuses: dask({ waiting: { reason: 'CrashLoopBackOff' } }) },
      { reason: 'CrashLoopBackOff' },
    ],
    ['that is lost sight of', { phase: 'Unknown' }, { reason: undefined }],
  ])('is pending: %s', (_what, status, expected) => {
    expect(stateOf(status)).toEqual({ kind: 'pending', scheduled: true, ...expected });
  });

  it('is not scheduled without a node, and says why', () => {
    const conditions = [
      { type: 'Ready', status: 'False', reason: 'Other' },
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' },
    ];
    const { nodeName: _unbound, ...spec } = worker(undefined).spec;
    const pod: Pod = { metadata: {}, spec, status: { phase: 'Pending', conditions } };
    expect(podState(pod, 'worker', NOW)).toEqual({
      kind: 'pending',
      scheduled: false,
      reason: 'Unschedulable',
    });
  });

  it('names what keeps its init containers from being done', () => {
    const waits = { name: 'second', state: { waiting: { reason: 'PodInitializing' } } };
    const done = { name: 'first', state: exited(0) };
    const stuck = { name: 'first', state: { waiting: { reason: 'ImagePullBackOff' } } };
    const containerStatuses = dask({ waiting: { reason: 'PodInitializing' } });
    const reasons = [[stuck, waits], [done, waits], [done], undefined].map((initContainerStatuses) => {
      const status = {
        phase: 'Pending',
        containerStatuses,
        ...(initContainerStatuses && { initContainerStatuses }),
      };
      const state = stateOf(status);
      return state.kind === 'pending' ? state.reason : state.kind;
    });
    expect(reasons).toEqual(['ImagePullBackOff', 'PodInitializing', 'PodInitializing', 'PodInitializing']);
  });

  it.each([
    ['True', true],
    ['False', false],
  ])('runs, with the condition Ready=%s', (status, ready) => {
    const running = {
      phase: 'Running',
      containerStatuses: dask({ running: {} }),
      conditions: [
        { type: 'Initialized', status: 'True' },
        { type: 'Ready', status },
      ],
    };
    expect(stateOf(running)).toEqual({ kind: 'running', ready });
  });

  it('is believed to run where it says no more', () => {
    expect(stateOf({ phase: 'Running' })).toEqual({ kind: 'running', ready: false });
  });

  it('does not run while only its sidecar does', () => {
    expect(stateOf({ phase: 'Running', containerStatuses: dask({ waiting: {} }) })).toMatchObject({
      kind: 'pending',
    });
  });

  it('is between two runs when the kubelet starts it again', () => {
    const status = { phase: 'Running', containerStatuses: dask(exited(1)) };
    expect(stateOf(status, { restartPolicy: 'OnFailure' })).toMatchObject({ kind: 'pending' });
    expect(stateOf(status, { restartPolicy: 'Always' })).toMatchObject({ kind: 'pending' });
    const well = { phase: 'Running', containerStatuses: dask(exited(0)) };
    expect(stateOf(well, { restartPolicy: 'Always' })).toMatchObject({ kind: 'pending' });
    const own = [{ name: 'proxy' }, { name: 'main', restartPolicy: 'OnFailure' }];
    expect(stateOf(status, { ...never, containers: own })).toMatchObject({ kind: 'pending' });
  });
});

describe('a pod that is being deleted', () => {
  it.each([undefined, { phase: 'Running' }, { phase: 'Failed', reason: 'Evicted' }])(
    'is that alone: %j',
    (status) => {
      const pod = worker(status);
      const doomed = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: ENDED } };
      expect(podState(doomed, 'worker', NOW)).toEqual({ kind: 'terminating' });
    },
  );
});

describe('a pod that ended', () => {
  it('failed with its exit code, reason and last words', () => {
    const terminated = exited(137, { reason: 'OOMKilled', message: 'last words' });
    expect(stateOf({ phase: 'Failed', containerStatuses: dask(terminated) })).toEqual({
      kind: 'failed',
      disrupted: false,
      end: {
        container: 'main',
        exitCode: 137,
        reason: 'OOMKilled',
        message: 'last words',
        finishedAtMs: ENDED_MS,
      },
    });
  });

  it('succeeded with exit code 0', () => {
    expect(stateOf({ phase: 'Succeeded', containerStatuses: dask(exited(0)) })).toEqual({
      kind: 'succeeded',
      end: {
        container: 'main',
        exitCode: 0,
        reason: 'Completed',
        message: undefined,
        finishedAtMs: ENDED_MS,
      },
    });
  });

  it('succeeded where only its phase says so', () => {
    expect(stateOf({ phase: 'Succeeded' })).toMatchObject({ kind: 'succeeded', end: { reason: 'Unknown' } });
  });

  it('is seen beside a sidecar that lives on', () => {
    const failed = { phase: 'Running', containerStatuses: dask(exited(1)) };
    expect(stateOf(failed, never)).toMatchObject({ kind: 'failed', disrupted: false });
    const done = { phase: 'Running', containerStatuses: dask(exited(0)) };
    expect(stateOf(done, never)).toMatchObject({ kind: 'succeeded' });
    expect(stateOf(done)).toMatchObject({ kind: 'succeeded' });
  });

  it('did well when only its sidecar failed', () => {
    const status = { phase: 'Failed', containerStatuses: dask(exited(0)) };
    expect(stateOf(status, never)).toMatchObject({ kind: 'succeeded', end: { exitCode: 0 } });
  });

  it.each(['Evicted', 'Preempting', 'Preempted', 'Terminated', 'NodeShutdown', 'Shutdown', 'NodeLost'])(
    'was disrupted: %s',
    (reason) => {
      expect(stateOf({ phase: 'Failed', reason, message: 'The node was low on memory.' })).toEqual({
        kind: 'failed',
        disrupted: true,
        end: {
          container: 'main',
          exitCode: undefined,
          reason,
          message: 'The node was low on memory.',
          finishedAtMs: NOW,
        },
      });
    },
  );

  it('was disrupted although Dask, told to go, ended well', () => {
    const evicted = {
      phase: 'Failed',
      reason: 'Evicted',
      message: 'low on memory',
      containerStatuses: dask(exited(0)),
    };
    expect(stateOf(evicted, never)).toMatchObject({
      kind: 'failed',
      disrupted: true,
      end: { exitCode: 0, reason: 'Evicted', message: 'low on memory' },
    });
    const conditions = [{ type: 'Ready', status: 'False' }, disruptionTarget];
    const draining = { phase: 'Running', conditions, containerStatuses: dask(exited(0)) };
    expect(stateOf(draining, never)).toMatchObject({ kind: 'failed', disrupted: true });
  });

  it('was disrupted by its condition, and not by one that is False', () => {
    const status = { phase: 'Failed', containerStatuses: dask(exited(143)) };
    expect(stateOf({ ...status, conditions: [disruptionTarget] })).toMatchObject({ disrupted: true });
    const spared = [{ ...disruptionTarget, status: 'False' }];
    expect(stateOf({ ...status, conditions: spared })).toMatchObject({ disrupted: false });
  });

  it('failed by a deadline of its own, which is no disruption', () => {
    const status = { phase: 'Failed', reason: 'DeadlineExceeded', containerStatuses: dask(exited(0)) };
    expect(stateOf(status)).toMatchObject({
      kind: 'failed',
      disrupted: false,
      end: { reason: 'DeadlineExceeded' },
    });
  });

  it('says where nothing is known', () => {
    expect(stateOf({ phase: 'Failed' })).toMatchObject({ end: { reason: 'Unknown', message: undefined } });
    const silent = {
      phase: 'Failed',
      message: 'of the pod',
      containerStatuses: dask({ terminated: { exitCode: 1 } }),
    };
    expect(stateOf(silent)).toMatchObject({ end: { exitCode: 1, reason: 'Unknown', message: 'of the pod' } });
  });

  it('ended when its container did, else at its last sign of life, and never later with the clock', () => {
    const conditions = [
      { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-03-01T10:00:00Z' },
      disruptionTarget,
      { type: 'Ready', status: 'False' },
    ];
    const without = { phase: 'Failed', reason: 'Evicted' };
    const pod = worker(without);
    const created = { ...pod, metadata: { ...pod.metadata, creationTimestamp: ENDED } };
    const unreadable = dask(exited(1, { finishedAt: 'yesterday' }));
    const times = [
      worker({ ...without, conditions }),
      created,
      worker({ phase: 'Failed', conditions, containerStatuses: unreadable }),
    ].map((given) => {
      const state = podState(given, 'worker', NOW);
      return state.kind === 'failed' ? state.end.finishedAtMs : state.kind;
    });
    expect(times).toEqual([ENDED_MS, ENDED_MS, ENDED_MS]);
  });

  it('is judged by its phase where nobody knows the Dask container', () => {
    const unlabelled: Pod = {
      ...worker({ phase: 'Running', containerStatuses: dask(exited(1)) }),
      metadata: {},
    };
    expect(podState(unlabelled, 'worker', NOW)).toEqual({ kind: 'running', ready: false });
    const failed: Pod = { ...unlabelled, status: { phase: 'Failed' } };
    expect(podState(failed, 'worker', NOW)).toMatchObject({ kind: 'failed', end: { container: '' } });
  });
});
