import { expect } from 'vitest';
import type { Condition, DaskCluster, DaskClusterStatus } from '../../src/api/dask-cluster.ts';
import type { Pod } from '../../src/api/kubernetes.ts';
import { REQUESTED_BY_ANNOTATION } from '../../src/api/names.ts';
import { LimitKeeper } from '../../src/controller/limit-keeper.ts';
import { WAITING } from '../../src/core/plan/limited.ts';
import { objectKey } from '../../src/kube/object-key.ts';
import { Store } from '../../src/kube/store.ts';
import { recordedLog } from '../unit/kube/recorded-log.ts';
import { aSized, limitedTo } from './limits.ts';

const OWNERS = ['alice', 'bob'];
const NAMESPACES = ['team-a', 'team-b'];
const POLICY = limitedTo({
  user: { clusters: 2, workers: 6, cores: 7 },
  namespace: { clusters: 3, workers: 8 },
  cluster: { workers: 5 },
});

export interface Step {
  readonly kind:
    'create' | 'scale' | 'off' | 'on' | 'delete' | 'fail' | 'turn' | 'show' | 'restart' | 'crash';
  readonly name: string;
  readonly workers?: number;
}

/** The stored objects, the watch that is behind them, and a controller that takes its turns at any time. */
export class LimitedWorld {
  /** How many workers run of each cluster that runs. */
  readonly running = new Map<string, number>();
  private readonly stored = new Map<string, DaskCluster>();
  private shown = new Store<DaskCluster>({ log: recordedLog().log });
  private pods = new Store<Pod>({ log: recordedLog().log });
  private keeper = this.started();
  private version = 1;

  do({ kind, name: clusterName, workers = 0 }: Step): void {
    const cluster = this.stored.get(clusterName);
    if (kind === 'create') {
      if (cluster === undefined) this.create(clusterName, workers);
      return;
    }
    if (kind === 'restart') {
      this.restart();
      return;
    }
    if (cluster === undefined) return;
    switch (kind) {
      case 'scale':
        this.respec(cluster, { worker: { ...cluster.spec.worker, replicas: workers } });
        break;
      case 'off':
      case 'on':
        this.respec(cluster, { active: kind === 'on' });
        break;
      case 'delete':
        this.stored.delete(clusterName);
        this.running.delete(clusterName);
        this.shown.remove(this.shown.get(objectKey(cluster)) ?? cluster);
        break;
      case 'fail':
        this.end(clusterName, cluster, { phase: 'Failed' });
        break;
      case 'turn':
        this.turn(clusterName, cluster);
        break;
      case 'crash':
        // The pods are there, the status that would say so is not.
        this.turn(clusterName, cluster, false);
        this.restart();
        break;
      case 'show':
        this.show(cluster);
    }
  }

  /** What the manifests ask for of what runs: what has just been taken from one is not its own any more. */
  desired(): readonly { readonly cluster: DaskCluster; readonly workers: number }[] {
    return [...this.running].map(([runningName, workers]) => {
      const cluster = this.stored.get(runningName)!;
      return { cluster, workers: Math.min(workers, cluster.spec.worker?.replicas ?? 0) };
    });
  }

  /** Lets everything happen that is under way, and gives who waits for what. */
  settle(): ReadonlyMap<string, string> {
    for (let round = 0; round < 4; round += 1) {
      for (const [clusterName] of this.stored) {
        for (const kind of ['show', 'turn', 'show'] as const) this.do({ kind, name: clusterName });
      }
    }
    const waiting = new Map<string, string>();
    for (const [clusterName, cluster] of this.stored) {
      const grant = this.keeper.grantOf(objectKey(cluster));
      if (grant !== undefined && grant.kind !== 'whole') waiting.set(clusterName, grant.message);
    }
    return waiting;
  }

  /** Counted anew, without anything that the controller remembers. */
  hasRoomFor(clusterName: string): boolean {
    this.running.set(clusterName, this.stored.get(clusterName)?.spec.worker?.replicas ?? 0);
    const isWithin = excesses(this).length === 0;
    this.running.delete(clusterName);
    return isWithin;
  }

  restart(): void {
    this.shown = new Store<DaskCluster>({ log: recordedLog().log });
    this.shown.replace([...this.stored.values()], '1000000');
    this.pods = new Store<Pod>({ log: recordedLog().log });
    this.pods.replace(this.podsOfAll(), '1000000');
    this.keeper = this.started();
  }

  private started(): LimitKeeper {
    const keeper = new LimitKeeper({
      clusters: this.shown,
      pods: this.pods,
      policy: () => POLICY,
      namespaceOf: () => undefined,
      changed: () => undefined,
    });
    keeper.start();
    return keeper;
  }

  private create(clusterName: string, workers: number): void {
    const index = Number(clusterName.slice(1));
    const cluster = aSized({
      name: clusterName,
      owner: OWNERS[index % 2]!,
      namespace: NAMESPACES[Math.floor(index / 2) % 2]!,
      workers,
      cores: 1,
      createdAt: `2026-03-01T12:00:${String(this.version % 60).padStart(2, '0')}Z`,
    });
    this.put({
      ...cluster,
      metadata: { ...cluster.metadata, uid: `${clusterName}-${String(this.version)}` },
    });
    this.show(this.stored.get(clusterName)!);
  }

  private respec(cluster: DaskCluster, change: Partial<DaskCluster['spec']>): void {
    const generation = (cluster.metadata.generation ?? 0) + 1;
    this.put({
      ...cluster,
      metadata: { ...cluster.metadata, generation },
      spec: { ...cluster.spec, ...change },
    });
  }

  private put(cluster: DaskCluster): void {
    this.version += 1;
    const metadata = { ...cluster.metadata, resourceVersion: String(this.version) };
    this.stored.set(cluster.metadata.name!, { ...cluster, metadata });
  }

  private show(cluster: DaskCluster): void {
    this.shown.upsert(cluster);
  }

  /** What the reconciler does, from what the watch has shown; an old version is refused by the API server. */
  private turn(clusterName: string, stored: DaskCluster, writesStatus = true): void {
    const seen = this.shown.get(objectKey(stored));
    if (seen === undefined || seen.metadata.resourceVersion !== stored.metadata.resourceVersion) return;
    const { phase } = seen.status ?? {};
    if (phase === 'Failed') return;
    if (seen.spec.active === false) {
      this.end(clusterName, stored, {
        phase: 'Stopped',
        conditions: [condition('Ready', 'Inactive', false)],
      });
      return;
    }
    const grant = this.keeper.grantOf(objectKey(seen));
    const wanted = seen.spec.worker?.replicas ?? 0;
    if (grant?.kind === 'waiting') {
      expect(this.running.has(clusterName), `${clusterName} runs and is to wait`).toBe(false);
      this.put({
        ...stored,
        status: { phase: 'Pending', conditions: [condition('Limited', WAITING, true)] },
      });
      return;
    }
    const workers = grant?.kind === 'clamped' ? Math.min(wanted, grant.workers) : wanted;
    const before = Math.min(wanted, this.running.get(clusterName) ?? 0);
    expect(workers, `${clusterName} loses workers that it asks for`).toBeGreaterThanOrEqual(before);
    this.running.set(clusterName, workers);
    if (writesStatus) this.put({ ...stored, status: runningStatus(workers) });
  }

  private end(clusterName: string, cluster: DaskCluster, status: DaskClusterStatus): void {
    this.running.delete(clusterName);
    if (cluster.status?.phase !== status.phase) this.put({ ...cluster, status });
  }

  private podsOfAll(): Pod[] {
    return [...this.running].flatMap(([clusterName, workers]) =>
      Array.from({ length: workers + 1 }, (_, index): Pod => {
        const component = index === 0 ? 'dask-scheduler' : 'dask-worker';
        const uid = this.stored.get(clusterName)?.metadata.uid ?? '';
        return {
          metadata: {
            name: `${clusterName}-${String(index)}`,
            uid: `${uid}-${String(index)}`,
            labels: { 'app.kubernetes.io/component': component },
            ownerReferences: [
              { apiVersion: 'v1', kind: 'DaskCluster', name: clusterName, uid, controller: true },
            ],
          },
          spec: { containers: [] },
        };
      }),
    );
  }
}

function condition(type: Condition['type'], reason: string, isTrue: boolean): Condition {
  const status = isTrue ? 'True' : 'False';
  return { type, status, reason, message: '', observedGeneration: 1, lastTransitionTime: '' };
}

function runningStatus(desired: number): DaskClusterStatus {
  const none = { running: 0, pending: 0, failed: 0, selector: '', nextSlot: 0, consecutiveFailures: 0 };
  return { phase: 'Running', workers: { desired, ...none } };
}

/** Every limit that what runs is beyond. */
export function excesses(world: LimitedWorld): readonly string[] {
  const desired = world.desired();
  const sum = (is: (cluster: DaskCluster) => boolean): { clusters: number; workers: number } => {
    const those = desired.filter(({ cluster }) => is(cluster));
    return { clusters: those.length, workers: those.reduce((total, { workers }) => total + workers, 0) };
  };
  const ofOwner = (owner: string): string[] => {
    const { clusters, workers } = sum((one) => one.metadata.annotations?.[REQUESTED_BY_ANNOTATION] === owner);
    return clusters > 2 || workers > 6 || clusters + workers > 7 ? [`${owner}: ${clusters}, ${workers}`] : [];
  };
  const ofNamespace = (namespace: string): string[] => {
    const { clusters, workers } = sum((one) => one.metadata.namespace === namespace);
    return clusters > 3 || workers > 8 ? [`${namespace}: ${clusters}, ${workers}`] : [];
  };
  return [...OWNERS.flatMap(ofOwner), ...NAMESPACES.flatMap(ofNamespace)];
}
