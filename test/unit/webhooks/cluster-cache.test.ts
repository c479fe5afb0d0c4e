import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import type { NamespaceFacts } from '../../../src/api/namespace-facts.ts';
import { demandOf } from '../../../src/core/limits/cluster-demand.ts';
import { judgeLimits } from '../../../src/core/limits/judge-limits.ts';
import type { Policy } from '../../../src/core/policy/policy.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { ClusterCache } from '../../../webhooks/cluster-cache.ts';
import { projectCluster } from '../../../webhooks/cluster-projection.ts';
import { aSized, limitedTo, type SizedOptions } from '../../support/limits.ts';
import { poll } from '../../support/poll.ts';
import { recordedLog } from '../kube/recorded-log.ts';
import { ScriptedApi } from '../kube/scripted-api.ts';

const BILLION = 10n ** 9n;
const ALICE = { owner: 'alice', namespace: 'team-a' };

/** A cache whose watch shows what the test says, on a clock that stands. */
class Bench {
  policy: Policy = limitedTo({ user: { workers: 10 } });
  readonly namespaces = new Map<string, NamespaceFacts>();
  nowMs = 0;
  readonly cache: ClusterCache;
  private readonly api = new ScriptedApi();
  private version = 10;

  constructor() {
    this.cache = new ClusterCache({
      client: this.api,
      policy: () => this.policy,
      namespaceOf: (name) => this.namespaces.get(name),
      clock: { ...systemClock, monotonic: () => this.nowMs },
      random: () => 0,
      log: recordedLog().log,
    });
  }

  async start(...clusters: readonly DaskCluster[]): Promise<void> {
    const ending = new AbortController();
    onTestFinished(() => {
      ending.abort();
    });
    this.api.answers.push({ items: [...clusters], resourceVersion: '10', continue: undefined });
    void this.cache.run(ending.signal);
    await this.cache.synced;
    await poll(
      'the watch',
      async () => Promise.resolve(this.api.watches.length),
      (count) => count > 0,
    );
  }

  /** Resolves when the cache shows it. */
  async show(type: 'ADDED' | 'MODIFIED' | 'DELETED', options: SizedOptions): Promise<void> {
    this.version += 1;
    const cluster = aSized({ ...options, version: this.version });
    this.api.lastWatch.send(type, cluster);
    const { name, namespace } = { name: 'demo', namespace: 'team-a', ...options };
    await poll(
      `${name} to be shown`,
      async () => Promise.resolve(this.cache.clusterOf(namespace, name)?.metadata.resourceVersion),
      (version) => (type === 'DELETED' ? version === undefined : version === String(this.version)),
      { intervalMs: 1 },
    );
  }

  workersOf(owner: string): bigint {
    return this.cache.usageOf(owner).workers / BILLION;
  }

  /** What the webhook does with a create or an update: the judgement and, where it passes, the reservation. */
  admit(options: SizedOptions, replaces?: string): boolean {
    const cluster = aSized(options);
    const usage = this.cache.usageBeside(cluster.metadata.name ?? '', ALICE);
    const findings = judgeLimits({ cluster, owner: 'alice', policy: this.policy, usage });
    if (findings.length === 0) this.cache.reserve({ cluster, owner: 'alice', replaces });
    return findings.length === 0;
  }
}

describe('the cache of clusters', () => {
  let bench: Bench;

  beforeEach(() => {
    bench = new Bench();
  });

  test('counts by owner and namespace what the watch shows', async () => {
    await bench.start(
      aSized({ name: 'a', workers: 2, cores: 1 }),
      aSized({ name: 'b', owner: 'bob', workers: 3 }),
    );
    expect(bench.cache.usageOf('alice')).toMatchObject({ clusters: BILLION, cores: 3n * BILLION });
    expect(bench.cache.usageOfNamespace('team-a').workers).toBe(5n * BILLION);
    await bench.show('MODIFIED', { name: 'a', workers: 7, cores: 1 });
    expect(bench.workersOf('alice')).toBe(7n);
    expect(bench.cache.usageBeside('a', ALICE)).toMatchObject({
      ofOwner: { workers: 0n },
      ofNamespace: { workers: 3n * BILLION },
    });
    await bench.show('MODIFIED', { name: 'a', workers: 7, cores: 1, status: { phase: 'Failed' } });
    expect(bench.workersOf('alice')).toBe(0n);
    await bench.show('DELETED', { name: 'b', owner: 'bob' });
    expect(bench.cache.usageOfNamespace('team-a').workers).toBe(0n);
  });

  test('a burst is right: what was admitted counts at once, and once', async () => {
    await bench.start();
    const admitted = Array.from({ length: 9 }, (_, index) =>
      bench.admit({ name: `c${String(index)}`, workers: 3 }),
    );
    expect(admitted.filter(Boolean)).toHaveLength(3);
    // The same request once more, as another webhook may cause it.
    expect(bench.admit({ name: 'c0', workers: 3 })).toBe(true);
    expect(bench.workersOf('alice')).toBe(9n);
    await bench.show('ADDED', { name: 'c0', workers: 3 });
    expect(bench.workersOf('alice')).toBe(9n);
  });

  test('what was admitted and never stored is forgotten after some seconds', async () => {
    await bench.start();
    bench.admit({ name: 'a', workers: 3 });
    bench.nowMs = 4_999;
    bench.admit({ name: 'b', workers: 3 });
    expect(bench.workersOf('alice')).toBe(6n);
    bench.nowMs = 5_000;
    expect(bench.workersOf('alice')).toBe(3n);
    bench.nowMs = 9_999;
    expect(bench.workersOf('alice')).toBe(0n);
  });

  test('growth counts at once, and until a later version of the cluster is shown', async () => {
    await bench.start(aSized({ name: 'a', workers: 2, version: 5 }));
    expect(bench.admit({ name: 'a', workers: 8 }, '12')).toBe(true);
    await bench.show('MODIFIED', { name: 'a', workers: 2 });
    await bench.show('MODIFIED', { name: 'a', workers: 2 });
    expect(bench.workersOf('alice')).toBe(8n);
    expect(bench.admit({ name: 'b', workers: 3 })).toBe(false);
    // Somebody else's change came before, and the growth was refused for a conflict.
    await bench.show('MODIFIED', { name: 'a', workers: 2 });
    expect(bench.workersOf('alice')).toBe(2n);
  });

  test('what is to shrink counts as it is stored, until it has', async () => {
    await bench.start(aSized({ name: 'a', workers: 8, version: 5 }));
    expect(bench.admit({ name: 'a', workers: 1 }, '5')).toBe(true);
    expect(bench.workersOf('alice')).toBe(8n);
    await bench.show('MODIFIED', { name: 'a', workers: 1 });
    expect(bench.workersOf('alice')).toBe(1n);
  });

  test('the end of a predecessor does not end the reservation of a new cluster of its name', async () => {
    await bench.start();
    await bench.show('ADDED', { name: 'a', workers: 1 });
    const successor = aSized({ name: 'a', workers: 4 });
    const metadata = { ...successor.metadata, uid: 'another' };
    bench.cache.reserve({ cluster: { ...successor, metadata }, owner: 'alice' });
    await bench.show('DELETED', { name: 'a', workers: 1 });
    expect(bench.workersOf('alice')).toBe(4n);
  });

  test('goes by the configuration as it is now, and by the namespaces when it is told to', async () => {
    await bench.start(aSized({ owner: 'argo', workers: 2 }));
    bench.cache.reserve({ cluster: aSized({ name: 'new', workers: 1 }), owner: 'alice' });
    expect(bench.workersOf('argo')).toBe(2n);
    bench.policy = { ...bench.policy, trustedDeployers: ['argo'] };
    expect([bench.workersOf('argo'), bench.workersOf('system:namespace:team-a')]).toEqual([0n, 2n]);
    bench.namespaces.set('team-a', {
      name: 'team-a',
      labels: {},
      annotations: { 'daskwarden.dev/owner': 'carol' },
    });
    bench.cache.recount();
    expect([bench.workersOf('carol'), bench.workersOf('alice')]).toEqual([2n, 1n]);
  });

  test('keeps little of a cluster, and what it keeps demands the same', () => {
    const env = Array.from({ length: 200 }, (_, index) => ({
      name: `VARIABLE_${String(index)}`,
      value: 'x'.repeat(80),
    }));
    const big = aSized({ workers: 3, cores: 2, memory: '4Gi' });
    const container = { ...big.spec.worker!.template!.spec!.containers[0]!, env };
    const cluster: DaskCluster = {
      ...big,
      metadata: {
        ...big.metadata,
        labels: { a: 'b' },
        annotations: { ...big.metadata.annotations, note: 'x'.repeat(5_000) },
      },
      spec: { ...big.spec, worker: { replicas: 3, template: { spec: { containers: [container] } } } },
      status: { phase: 'Running', message: 'x'.repeat(5_000) },
    };
    expect(JSON.stringify(cluster).length).toBeGreaterThan(20_000);
    const kept = projectCluster(cluster);
    expect(JSON.stringify(kept).length).toBeLessThan(1_000);
    expect(demandOf(kept)).toEqual(demandOf(cluster));
    expect(kept.metadata.annotations).toEqual(big.metadata.annotations);
  });

  test('takes what was stored while nobody looked', () => {
    const spec = {
      scheduler: { template: null },
      worker: { template: { spec: { containers: null, initContainers: [null] } } },
    };
    expect(projectCluster({ metadata: { name: 'a' }, spec } as never).spec).toEqual({
      scheduler: {},
      worker: { template: { spec: { containers: [], initContainers: [{ name: '' }] } } },
    });
  });
});
