import { describe, expect, test } from 'vitest';
import type { DaskCluster } from '../../../../src/api/dask-cluster.ts';
import { demandOf } from '../../../../src/core/limits/cluster-demand.ts';
import { judgeScale, withReplicas } from '../../../../src/core/limits/judge-scale.ts';
import { aSized, limitedTo } from '../../../support/limits.ts';

const policy = limitedTo({ user: { workers: 10, cores: 100 } });
const used = demandOf(aSized({ workers: 6 }));
const parent = {
  cluster: aSized({ workers: 2, cores: 20 }),
  owner: 'alice',
  usage: { ofOwner: used, ofNamespace: used },
};

describe('a scale', () => {
  test('is held to the same limits as the cluster, at its own path', () => {
    const findings = judgeScale({ replicas: 5, oldReplicas: 2, parent, policy });
    expect(findings.map(({ rule, path, value, message }) => [rule, path.toString(), value, message])).toEqual(
      [
        ['limits', 'spec.replicas', 5, expect.stringContaining('ask for at most 4 workers')],
        ['limits', 'spec.replicas', 5, expect.stringContaining('this one asks for 120 cores')],
      ],
    );
    expect(judgeScale({ replicas: 4, oldReplicas: 2, parent, policy })).toEqual([]);
  });

  test('down is allowed however much is in use', () => {
    expect(judgeScale({ replicas: 50, oldReplicas: 60, parent, policy })).toEqual([]);
    expect(judgeScale({ replicas: 60, oldReplicas: 60, parent, policy })).toEqual([]);
  });

  test('of a cluster that the cache has not seen: down is allowed, up is not, and what to do is said', () => {
    expect(judgeScale({ replicas: 1, oldReplicas: 2, parent: undefined, policy })).toEqual([]);
    const [finding] = judgeScale({ replicas: 3, oldReplicas: 2, parent: undefined, policy });
    expect(finding).toMatchObject({ level: 'error', rule: 'limits', reason: 'FieldValueForbidden' });
    expect(finding?.path.toString()).toBe('spec.replicas');
    expect(finding?.message).toContain('try again in a few seconds');
  });

  test('of a cluster that the cache has not seen is free where nothing is limited', () => {
    const free = limitedTo({});
    expect(judgeScale({ replicas: 3, oldReplicas: 2, parent: undefined, policy: free })).toEqual([]);
  });

  test('below 0 is refused in any case', () => {
    for (const known of [parent, undefined]) {
      const findings = judgeScale({ replicas: -1, oldReplicas: 2, parent: known, policy });
      expect(findings).toMatchObject([{ rule: 'scale', reason: 'FieldValueInvalid', value: -1 }]);
    }
  });

  test('is of the field that the form has', () => {
    const gateway: DaskCluster = { metadata: {}, spec: { config: {}, replicas: 1 } };
    expect(withReplicas(gateway, 4).spec).toEqual({ config: {}, replicas: 4 });
    expect(withReplicas(aSized(), 4).spec.worker?.replicas).toBe(4);
  });
});
