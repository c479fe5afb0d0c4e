import { describe, expect, it } from 'vitest';
import { selectorLabels, selectorText } from '../../../../src/core/render/labels.ts';
import { isControlledBy, isOfPredecessor } from '../../../../src/core/render/owner.ts';
import { renderSchedulerPod, renderWorkerPod } from '../../../../src/core/render/pod.ts';
import { renderService } from '../../../../src/core/render/service.ts';
import { aCluster } from '../../../support/builders.ts';

const installation = { instance: 'prod' };
const cluster = aCluster();
const uid = cluster.metadata.uid ?? '';

describe('the Service', () => {
  const service = renderService(cluster, installation);

  it('is this object', () => {
    expect(service).toEqual({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'dask-demo',
        namespace: 'team-a',
        labels: {
          'app.kubernetes.io/name': 'dask',
          'app.kubernetes.io/managed-by': 'daskwarden',
          'app.kubernetes.io/component': 'dask-scheduler',
          'gateway.dask.org/cluster': 'demo',
          'gateway.dask.org/instance': 'prod',
        },
        ownerReferences: [
          {
            apiVersion: 'gateway.dask.org/v1alpha1',
            kind: 'DaskCluster',
            name: 'demo',
            uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        clusterIP: 'None',
        selector: {
          'gateway.dask.org/cluster': 'demo',
          'gateway.dask.org/instance': 'prod',
          'app.kubernetes.io/component': 'dask-scheduler',
        },
        ports: [
          { name: 'scheduler', port: 8786, targetPort: 8786, protocol: 'TCP' },
          { name: 'dashboard', port: 8787, targetPort: 8787, protocol: 'TCP' },
        ],
      },
    });
  });

  it('selects the scheduler of every incarnation, and no worker or other cluster', () => {
    const selects = (labels: Readonly<Record<string, string>> = {}): boolean =>
      Object.entries(service.spec.selector ?? {}).every(([key, value]) => labels[key] === value);
    expect(selects(renderSchedulerPod(cluster, installation, 9).metadata.labels)).toBe(true);
    expect(selects(renderSchedulerPod(aCluster({ name: 'other' }), installation, 1).metadata.labels)).toBe(
      false,
    );
    expect(selects(renderSchedulerPod(cluster, { instance: 'test' }, 1).metadata.labels)).toBe(false);
    const worker = renderWorkerPod(cluster, installation, { incarnation: 1, slot: 0 });
    expect(selects(worker.metadata.labels)).toBe(false);
  });

  it('belongs to the DaskCluster of this UID', () => {
    expect(isControlledBy(service, uid)).toBe(true);
    expect(isControlledBy(service, 'other')).toBe(false);
    expect(isControlledBy({ metadata: {} }, uid)).toBe(false);
  });

  it('belongs to its controller among its owners', () => {
    const mere = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'other' };
    const ownerReferences = [mere, ...(service.metadata.ownerReferences ?? [])];
    expect(isControlledBy({ metadata: { ownerReferences } }, uid)).toBe(true);
    expect(isControlledBy({ metadata: { ownerReferences } }, 'other')).toBe(false);
  });
});

describe('isOfPredecessor', () => {
  const identity = { name: 'demo', namespace: 'team-a', uid };
  const owner = {
    apiVersion: 'gateway.dask.org/v1alpha1',
    kind: 'DaskCluster',
    name: 'demo',
    uid: 'earlier',
  };

  it.each<[string, Partial<typeof owner>, boolean]>([
    ['a cluster of the same name and another UID', {}, true],
    ['the same in another version', { apiVersion: 'gateway.dask.org/v1' }, true],
    ['this very cluster', { uid }, false],
    ['a cluster of another name', { name: 'other' }, false],
    ['another kind', { kind: 'ConfigMap' }, false],
    ['a kind of the same name in another group', { apiVersion: 'kubernetes.dask.org/v1' }, false],
  ])('knows what belonged to %s', (_whom, change, expected) => {
    const mere = { apiVersion: 'v1', kind: 'Pod', name: 'demo', uid: 'p' };
    const ownerReferences = [mere, { ...owner, ...change }];
    expect(isOfPredecessor({ metadata: { ownerReferences } }, identity)).toBe(expected);
  });

  it('does not take what belongs to nobody', () => {
    expect(isOfPredecessor({ metadata: {} }, identity)).toBe(false);
  });
});

describe('selectorText', () => {
  it('is what kubectl takes', () => {
    expect(selectorText(selectorLabels(installation, 'demo', 'dask-worker'))).toBe(
      'gateway.dask.org/cluster=demo,gateway.dask.org/instance=prod,app.kubernetes.io/component=dask-worker',
    );
  });
});
