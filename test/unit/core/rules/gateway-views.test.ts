import { describe, expect, test } from 'vitest';
import type { DaskCluster } from '../../../../src/api/dask-cluster.ts';
import { judge } from '../../../../src/core/judge.ts';
import { gatewayTemplateViews } from '../../../../src/core/rules/gateway-views.ts';

function aGatewayCluster(config: Readonly<Record<string, unknown>>): DaskCluster {
  return {
    apiVersion: 'gateway.dask.org/v1alpha1',
    kind: 'DaskCluster',
    metadata: {
      name: 'demo',
      namespace: 'team-a',
      labels: { 'gateway.dask.org/instance': 'gateway-a', 'gateway.dask.org/cluster': 'demo' },
    },
    spec: { username: 'alice', options: {}, config },
  };
}

function faultsOf(config: Readonly<Record<string, unknown>>): readonly string[] {
  return judge({ object: aGatewayCluster(config) })
    .findings.filter(({ level }) => level === 'error')
    .map(({ rule, path }) => `${rule} ${path.toString()}`);
}

const FOREIGN = 'dask-credentials-other';

describe('what a gateway adds to pods is judged as what stands in a template', () => {
  test('nothing of what dask-gateway itself renders is a fault', () => {
    expect(faultsOf({})).toEqual([]);
  });

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    [
      'a foreign Secret as a volume',
      { worker_extra_pod_config: { volumes: [{ name: 'x', secret: { secretName: FOREIGN } }] } },
      'foreign-credentials spec.config.worker_extra_pod_config.volumes[0].secret.secretName',
    ],
    [
      'one in a variable of the Dask container',
      {
        scheduler_extra_container_config: {
          env: [{ name: 'X', valueFrom: { secretKeyRef: { name: FOREIGN, key: 'api-token' } } }],
        },
      },
      'foreign-credentials spec.config.scheduler_extra_container_config.env[0].valueFrom.secretKeyRef.name',
    ],
    [
      'one in a sidecar',
      {
        worker_extra_pod_config: {
          containers: [{ name: 'x', image: 'x', envFrom: [{ secretRef: { name: FOREIGN } }] }],
        },
      },
      'foreign-credentials spec.config.worker_extra_pod_config.containers[0].envFrom[0].secretRef.name',
    ],
    [
      'a reserved label',
      { worker_extra_pod_labels: { 'gateway.dask.org/cluster': 'other' } },
      'reserved-labels spec.config.worker_extra_pod_labels[gateway.dask.org/cluster]',
    ],
    [
      'the reserved volume',
      { scheduler_extra_pod_config: { volumes: [{ name: 'dask-credentials', emptyDir: {} }] } },
      'reserved-volume spec.config.scheduler_extra_pod_config.volumes[0].name',
    ],
    [
      'a mount over the credentials',
      {
        worker_extra_container_config: {
          volumeMounts: [{ name: 'x', mountPath: '/etc/dask-credentials/x' }],
        },
      },
      'mount-paths spec.config.worker_extra_container_config.volumeMounts[0].mountPath',
    ],
    [
      'a request over the limit',
      { worker_memory: 8, worker_memory_limit: 4 },
      'request-over-limit spec.config.worker_memory',
    ],
    [
      'a Dask container by another name, with a sidecar',
      {
        worker_extra_container_config: {
          name: 'x',
          env: [{ name: 'DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION', value: 'False' }],
        },
        worker_extra_pod_config: { containers: [{ name: 'y', image: 'y' }] },
      },
      'reserved-env spec.config.worker_extra_container_config.env[0].name',
    ],
    [
      'a fault beside parts of other types',
      {
        worker_extra_pod_config: {
          tolerations: 'x',
          volumes: [7, null, { name: 'x', secret: { secretName: FOREIGN } }],
          initContainers: { a: 1 },
        },
      },
      'foreign-credentials spec.config.worker_extra_pod_config.volumes[2].secret.secretName',
    ],
  ])('%s', (_what, config, fault) => {
    expect(faultsOf(config)).toContain(fault);
  });

  test('whatever is nested is looked into, however many containers there are', () => {
    const containers = Array.from({ length: 64 }, (_, index) => ({ name: `x${String(index)}`, image: 'x' }));
    const volumes = [{ name: 'x', secret: { secretName: FOREIGN } }];
    expect(faultsOf({ worker_extra_pod_config: { containers, volumes } })).toContain(
      'foreign-credentials spec.config.worker_extra_pod_config.volumes[0].secret.secretName',
    );
  });
});

test('a view has no field of another type than the declared one', () => {
  const config = {
    worker_extra_container_config: { env: 'x', ports: [null, 1] },
    worker_extra_pod_labels: { a: 1 },
  };
  const [, worker] = gatewayTemplateViews(aGatewayCluster(config));
  expect(worker?.dask?.container).not.toHaveProperty('env');
  expect(worker?.dask?.container.ports?.slice(-2)).toEqual([{}, {}]);
  expect(worker?.template.metadata?.labels).not.toHaveProperty('a');
});
