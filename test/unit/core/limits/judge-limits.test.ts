import { describe, expect, test } from 'vitest';
import type { DaskCluster } from '../../../../src/api/dask-cluster.ts';
import { format } from '../../../../src/core/findings.ts';
import { demandOf } from '../../../../src/core/limits/cluster-demand.ts';
import { NO_DEMAND } from '../../../../src/core/limits/demand.ts';
import { judgeLimits } from '../../../../src/core/limits/judge-limits.ts';
import type { Policy } from '../../../../src/core/policy/policy.ts';
import { aSized, limitedTo } from '../../../support/limits.ts';

const NOBODY = { ofOwner: NO_DEMAND, ofNamespace: NO_DEMAND };
const WORKER_RESOURCES = 'spec.worker.template.spec.containers[0].resources';
const SCHEDULER_RESOURCES = 'spec.scheduler.template.spec.containers[0].resources';

interface Case {
  readonly cluster: DaskCluster;
  readonly oldCluster?: DaskCluster;
  readonly others?: DaskCluster;
}

function told(limits: Partial<Policy['limits']>, { cluster, oldCluster, others }: Case): readonly string[] {
  const used = others === undefined ? NO_DEMAND : demandOf(others);
  const usage = { ofOwner: used, ofNamespace: used };
  return judgeLimits({ cluster, oldCluster, owner: 'alice', policy: limitedTo(limits), usage }).map(format);
}

function paths(limits: Partial<Policy['limits']>, change: Case): readonly string[] {
  return told(limits, change).map((line) => line.slice(0, line.indexOf(':')));
}

describe('limits', () => {
  test('of a user say who, what is allowed, used, asked and possible', () => {
    const change = { cluster: aSized({ workers: 5 }), others: aSized({ workers: 8 }) };
    expect(told({ user: { workers: 10 } }, change)).toEqual([
      "spec.worker.replicas: Forbidden: user 'alice' may have at most 10 workers: other clusters have 8 workers, this one asks for 5 workers; ask for at most 2 workers, or stop or delete another cluster first",
    ]);
    expect(told({ user: { workers: 13 } }, change)).toEqual([]);
  });

  test('of a namespace and of a single cluster are told beside them', () => {
    const change = { cluster: aSized({ workers: 5, memory: '2Gi' }), others: aSized({ memory: '500M' }) };
    expect(told({ cluster: { workers: 4 }, namespace: { memoryBytes: 2 ** 32 } }, change)).toEqual([
      'spec.worker.replicas: Forbidden: a cluster may have at most 4 workers: this one asks for 5 workers',
      "spec.worker.replicas: Forbidden: namespace 'team-a' may have at most 4Gi of memory: other clusters have 500M of memory, this one asks for 12Gi of memory; ask for at most 3794967296 bytes of memory, or stop or delete another cluster first",
    ]);
  });

  test('of clusters are told of the cluster as a whole', () => {
    const change = { cluster: aSized(), others: aSized() };
    expect(told({ user: { clusters: 1 } }, change)).toEqual([
      "spec: Forbidden: user 'alice' may have at most 1 cluster: other clusters have 1 cluster, this one asks for 1 cluster; stop or delete another cluster first",
    ]);
  });

  test('of 0 forbid everything', () => {
    expect(paths({ namespace: { clusters: 0 } }, { cluster: aSized() })).toEqual(['spec']);
  });

  test("by name replace the common ones, and no name is a property of JavaScript's objects", () => {
    const change = { cluster: aSized({ workers: 5 }) };
    expect(told({ user: { workers: 1 }, users: { alice: { cores: 1 } } }, change)).toEqual([]);
    expect(told({ namespace: {}, namespaces: { 'team-a': { workers: 4 } } }, change)).toHaveLength(1);
    const cluster = aSized({ workers: 5 });
    const policy = limitedTo({ user: { workers: 1 } });
    expect(judgeLimits({ cluster, owner: 'constructor', policy, usage: NOBODY })).toHaveLength(1);
  });

  test('are exact: ten times a tenth of a core is one core', () => {
    const cluster = aSized({ workers: 9, cores: 0.1 });
    expect(told({ cluster: { cores: 1 } }, { cluster })).toEqual([]);
    expect(told({ cluster: { cores: 0.999 } }, { cluster })).toEqual([
      'spec.worker.replicas: Forbidden: a cluster may have at most 0.999 cores: this one asks for 1 core',
    ]);
  });

  test('refuse growth alone: who is over may shrink, stay, and be changed otherwise', () => {
    const limits = { user: { workers: 2, cores: 4, clusters: 0 } };
    const oldCluster = aSized({ workers: 8, cores: 1 });
    for (const cluster of [
      oldCluster,
      aSized({ workers: 3, cores: 1 }),
      aSized({ workers: 8, cores: '500m' }),
    ]) {
      expect(told(limits, { cluster, oldCluster, others: aSized({ workers: 9 }) })).toEqual([]);
    }
    // What shrinks in one measure may not grow in another.
    expect(paths(limits, { cluster: aSized({ workers: 7, cores: 2 }), oldCluster })).toEqual([
      WORKER_RESOURCES,
    ]);
  });

  test('are told of what a pod requests where fewer workers would not do', () => {
    const limits = { cluster: { cores: 4 } };
    expect(paths(limits, { cluster: aSized({ workers: 2, cores: 8 }) })).toEqual([SCHEDULER_RESOURCES]);
    const [oldCluster, cluster] = [aSized({ workers: 2, cores: 1 }), aSized({ workers: 2, cores: 2 })];
    expect(paths(limits, { cluster, oldCluster })).toEqual([WORKER_RESOURCES]);
    expect(paths(limits, { cluster: aSized({ workers: 9, cores: 1 }), oldCluster })).toEqual([
      'spec.worker.replicas',
    ]);
  });

  test('of a pod as a whole, and of a template without a Dask container, are told there', () => {
    const pod = (spec: object): DaskCluster =>
      ({ ...aSized(), spec: { scheduler: { template: { spec } } } }) as DaskCluster;
    const limits = { cluster: { cores: 4 } };
    const whole = pod({ containers: [], resources: { requests: { cpu: 8 } } });
    expect(paths(limits, { cluster: whole })).toEqual(['spec.scheduler.template.spec.resources']);
    const container = { resources: { requests: { cpu: 4 } } };
    const open = pod({ containers: [container, container] });
    expect(paths(limits, { cluster: open })).toEqual(['spec.scheduler.template.spec']);
  });

  test('of the gateway form are told of its configuration', () => {
    const config = { scheduler_cores: 1, scheduler_memory: 8, worker_cores: 1, worker_memory: 1 };
    const cluster: DaskCluster = { metadata: { namespace: 'team-a' }, spec: { config, replicas: 9 } };
    expect(paths({ user: { workers: 8, cores: 4, memoryBytes: 4 } }, { cluster })).toEqual([
      'spec.replicas',
      'spec.replicas',
      'spec.config.scheduler_memory',
    ]);
  });

  test('count a cluster that is switched on again as a new one', () => {
    const oldCluster = aSized({ workers: 2, spec: { active: false } });
    const cluster = aSized({ workers: 2, spec: { active: true } });
    const limits = { user: { clusters: 1, workers: 1 } };
    expect(paths(limits, { cluster, oldCluster, others: aSized() })).toEqual([
      'spec.active',
      'spec.worker.replicas',
    ]);
    expect(told(limits, { cluster: oldCluster, oldCluster: cluster, others: aSized() })).toEqual([]);
  });

  test('do not repeat a name of any length', () => {
    const policy = limitedTo({ user: { clusters: 0 } });
    const [finding] = judgeLimits({ cluster: aSized(), owner: 'a'.repeat(4096), policy, usage: NOBODY });
    expect(finding?.message.length).toBeLessThan(400);
  });
});
