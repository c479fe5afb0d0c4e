import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DaskCluster, DaskClusterStatus } from '../../../src/api/dask-cluster.ts';
import type { Pod } from '../../../src/api/kubernetes.ts';
import { LimitKeeper } from '../../../src/controller/limit-keeper.ts';
import type { NamespaceFacts } from '../../../src/api/namespace-facts.ts';
import type { Grant } from '../../../src/core/limits/grant.ts';
import type { Policy } from '../../../src/core/policy/policy.ts';
import { Store } from '../../../src/kube/store.ts';
import { aRunningStatus, aScheduler, aWorker } from '../../support/builders.ts';
import { aSized, limitedTo, type SizedOptions } from '../../support/limits.ts';
import { recordedLog } from '../kube/recorded-log.ts';

const ONE_CLUSTER = limitedTo({ user: { clusters: 1 } });

/** The keeper over caches that show what the test says. */
class Bench {
  policy: Policy = ONE_CLUSTER;
  readonly namespaces = new Map<string, NamespaceFacts>();
  readonly changed: string[] = [];
  readonly keeper: LimitKeeper;
  private readonly clusters = new Store<DaskCluster>({ log: recordedLog().log });
  private readonly pods = new Store<Pod>({ log: recordedLog().log });
  private version = 1;

  constructor() {
    this.keeper = new LimitKeeper({
      clusters: this.clusters,
      pods: this.pods,
      policy: () => this.policy,
      namespaceOf: (name) => this.namespaces.get(name),
      changed: (key) => void this.changed.push(key),
    });
  }

  show(options: SizedOptions): DaskCluster {
    this.version += 1;
    const cluster = aSized({ ...options, version: this.version });
    this.clusters.upsert(cluster);
    return cluster;
  }

  showPods(...pods: Pod[]): void {
    for (const pod of pods) {
      const metadata = { ...pod.metadata, resourceVersion: '1' };
      this.pods.upsert({ ...pod, metadata });
    }
  }

  store(cluster: DaskCluster): void {
    this.clusters.upsert(cluster);
  }

  hide(cluster: DaskCluster): void {
    this.clusters.remove(cluster);
  }

  kindOf(name: string): Grant['kind'] | undefined {
    return this.keeper.grantOf(`team-a/${name}`)?.kind;
  }
}

function stopped(reason: string): DaskClusterStatus {
  const ready = { type: 'Ready', status: 'False', reason, message: '', observedGeneration: 1 } as const;
  return { phase: 'Stopped', conditions: [{ ...ready, lastTransitionTime: '' }] };
}

describe('the keeper of limits', () => {
  let bench: Bench;

  beforeEach(() => {
    bench = new Bench();
  });

  test.each([
    [
      'is deleted',
      (one: Bench, first: DaskCluster) => {
        one.hide(first);
      },
    ],
    [
      'has been stopped',
      (one: Bench) => {
        one.show({ name: 'first', status: stopped('Inactive'), spec: { active: false }, generation: 2 });
      },
    ],
    [
      'has ended',
      (one: Bench) => {
        one.show({ name: 'first', status: stopped('Completed') });
      },
    ],
    [
      'has failed',
      (one: Bench) => {
        one.show({ name: 'first', status: { phase: 'Failed' } });
      },
    ],
  ])('lets a waiting cluster in, and calls for it, when another %s', async (_, end) => {
    bench.keeper.start();
    const first = bench.show({ name: 'first' });
    bench.show({ name: 'second', createdAt: '2026-03-01T13:00:00Z' });
    expect([bench.kindOf('first'), bench.kindOf('second')]).toEqual(['whole', 'waiting']);
    end(bench, first);
    await setImmediate();
    expect(bench.changed).toEqual(['team-a/second']);
    expect(bench.kindOf('second')).toBe('whole');
  });

  test('makes room when a running cluster shrinks', async () => {
    bench.policy = limitedTo({ user: { workers: 5 } });
    bench.keeper.start();
    bench.show({ name: 'first', workers: 4 });
    bench.show({ name: 'second', workers: 3, createdAt: '2026-03-01T13:00:00Z' });
    expect(bench.kindOf('second')).toBe('waiting');
    bench.show({ name: 'first', workers: 2, generation: 2 });
    await setImmediate();
    expect(bench.changed).toEqual(['team-a/second']);
  });

  test('gives no room away before a cluster that was switched off has been stopped', () => {
    bench.keeper.start();
    bench.show({ name: 'first', status: aRunningStatus() });
    bench.show({ name: 'second' });
    bench.show({ name: 'first', status: aRunningStatus(), spec: { active: false }, generation: 2 });
    expect(bench.kindOf('second')).toBe('waiting');
    bench.show({ name: 'first', status: stopped('Inactive'), spec: { active: false }, generation: 2 });
    expect(bench.kindOf('second')).toBe('whole');
    // Switched on again it has to wait, like any other.
    bench.show({ name: 'first', status: stopped('Inactive'), generation: 3 });
    expect(bench.kindOf('first')).toBe('waiting');
  });

  test('keeps a place that it has given, though older clusters come and the status comes late', () => {
    bench.keeper.start();
    bench.show({ name: 'first', createdAt: '2026-03-01T13:00:00Z' });
    expect(bench.kindOf('first')).toBe('whole');
    bench.show({ name: 'older', createdAt: '2026-03-01T12:00:00Z' });
    bench.show({ name: 'first', createdAt: '2026-03-01T13:00:00Z', status: { phase: 'Pending' } });
    expect([bench.kindOf('first'), bench.kindOf('older')]).toEqual(['whole', 'waiting']);
  });

  test.each([
    ['a status that says Running', { status: aRunningStatus() }, false],
    ['a status that says Pending, and not that it waits', { status: { phase: 'Pending' } as const }, false],
    ['pods alone, where the controller ended before it wrote a status', {}, true],
  ])('knows after a restart what was running, by %s', (_, state, hasPods) => {
    bench.show({ name: 'older', createdAt: '2026-03-01T11:00:00Z' });
    const young = bench.show({ name: 'young', ...state });
    if (hasPods) bench.showPods({ ...aScheduler(young, 'running') });
    bench.keeper.start();
    expect([bench.kindOf('older'), bench.kindOf('young')]).toEqual(['waiting', 'whole']);
  });

  test('counts the workers that run after a restart, also those of which no status tells', () => {
    bench.policy = limitedTo({ user: { workers: 4 } });
    const grown = bench.show({ name: 'grown', workers: 9, status: aRunningStatus() });
    bench.showPods(
      ...[0, 1, 2, 3, 4].map((slot) => aWorker(grown, 'running', slot)),
      aWorker(grown, 'terminating', 5),
      aWorker(grown, 'failed', 6),
    );
    bench.keeper.start();
    expect(bench.keeper.grantOf('team-a/grown')).toMatchObject({ kind: 'clamped', workers: 5 });
  });

  test("lets a running cluster grow as others shrink, and takes the owner's whole into account", () => {
    bench.policy = limitedTo({ user: { workers: 6 } });
    bench.keeper.start();
    bench.show({ name: 'a', workers: 2 });
    bench.show({ name: 'b', workers: 3 });
    expect([bench.kindOf('a'), bench.kindOf('b')]).toEqual(['whole', 'whole']);
    bench.show({ name: 'a', workers: 5, generation: 2 });
    expect(bench.keeper.grantOf('team-a/a')).toMatchObject({ kind: 'clamped', workers: 3 });
    bench.show({ name: 'b', workers: 1, generation: 2 });
    expect(bench.kindOf('a')).toBe('whole');
  });

  test('goes by the configuration as it is now, and stops nothing for it', () => {
    bench.keeper.start();
    bench.show({ name: 'first' });
    bench.show({ name: 'second' });
    expect(bench.kindOf('second')).toBe('waiting');
    bench.policy = limitedTo({ user: { clusters: 2 } });
    expect(bench.kindOf('second')).toBe('whole');
    bench.policy = limitedTo({ user: { clusters: 0 } });
    expect([bench.kindOf('first'), bench.kindOf('second')]).toEqual(['whole', 'whole']);
    bench.show({ name: 'third' });
    expect(bench.kindOf('third')).toBe('waiting');
  });

  test.each([
    ['the installation', limitedTo({ user: { clusters: 0 } }, { enforcement: 'Warn' }), undefined],
    ['the rule', limitedTo({ user: { clusters: 0 } }, { rules: { limits: 'Warn' } }), undefined],
    ['the namespace', limitedTo({ user: { clusters: 0 } }), { 'daskwarden.dev/enforcement': 'Warn' }],
  ])('holds nobody back where %s only warns', (_, policy, labels) => {
    bench.policy = policy;
    if (labels !== undefined) bench.namespaces.set('team-a', { name: 'team-a', labels, annotations: {} });
    bench.keeper.start();
    bench.show({ name: 'first' });
    expect(bench.kindOf('first')).toBe('whole');
  });

  test("counts a trusted deployer's clusters for whom the namespace names, when the configuration says so", () => {
    bench.policy = limitedTo({ users: { carol: { clusters: 1 } } });
    bench.namespaces.set('team-a', {
      name: 'team-a',
      labels: {},
      annotations: { 'daskwarden.dev/owner': 'carol' },
    });
    bench.keeper.start();
    bench.show({ name: 'first', owner: 'argo' });
    bench.show({ name: 'second', owner: 'argo' });
    expect(bench.kindOf('second')).toBe('whole');
    bench.policy = { ...bench.policy, trustedDeployers: ['argo'] };
    bench.show({ name: 'third', owner: 'argo' });
    expect(bench.keeper.grantOf('team-a/third')).toMatchObject({
      kind: 'waiting',
      message: expect.stringContaining("user 'carol' may have at most 1 cluster") as string,
    });
  });

  test("lets dask-gateway's own clusters be, but counts them", () => {
    bench.keeper.start();
    const gateway = {
      scheduler: undefined,
      worker: undefined,
      config: {},
      username: 'alice',
      replicas: 2,
    } as never;
    bench.show({ name: 'theirs', spec: gateway });
    bench.show({ name: 'more', spec: gateway });
    bench.show({ name: 'ours' });
    expect([bench.kindOf('theirs'), bench.kindOf('more'), bench.kindOf('ours')]).toEqual([
      'whole',
      'whole',
      'waiting',
    ]);
  });

  test('neither lets in nor waits for a cluster that is being deleted', () => {
    bench.keeper.start();
    bench.show({ name: 'first' });
    const second = bench.show({ name: 'second' });
    expect(bench.kindOf('second')).toBe('waiting');
    const metadata = { ...second.metadata, resourceVersion: '99', deletionTimestamp: '2026-03-01T12:00:00Z' };
    bench.store({ ...second, metadata });
    expect(bench.kindOf('second')).toBeUndefined();
  });
});
