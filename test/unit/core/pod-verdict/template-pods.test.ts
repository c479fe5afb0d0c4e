import { describe, expect, it } from 'vitest';
import type { DaskCluster } from '../../../../src/api/dask-cluster.ts';
import { DEFAULT_SETTINGS } from '../../../../src/core/plan/observed.ts';
import { podsOf } from '../../../../src/core/pod-verdict/pods-of.ts';
import { DEFAULT_GATEWAY_SETTINGS } from '../../../../src/core/render/gateway/settings.ts';
import { aCluster, IMAGE, withDaskContainer, withPodSpec } from '../../../support/builders.ts';

const SETTINGS = { installation: DEFAULT_SETTINGS.installation, gateway: DEFAULT_GATEWAY_SETTINGS };

function podOf(cluster: DaskCluster, role: 'scheduler' | 'worker') {
  return podsOf(cluster, SETTINGS).find((pod) => pod.role === role)!;
}

/** Where the user wrote a field of the pod. */
function placeIn(cluster: DaskCluster, role: 'scheduler' | 'worker', field: string): string {
  return podOf(cluster, role).pathOf(field).toString();
}

describe('podsOf', () => {
  it('renders both pods as they will be created, credentials included', () => {
    const pods = podsOf(aCluster({ replicas: 3 }), SETTINGS);
    expect(pods.map(({ pod }) => pod.metadata.name)).toEqual([
      'dask-scheduler-demo',
      'dask-worker-demo-00000000-0',
    ]);
    for (const { pod } of pods) {
      expect(pod.spec.volumes).toEqual([
        { name: 'dask-credentials', secret: { secretName: 'dask-credentials-demo' } },
      ]);
      const [container] = pod.spec.containers;
      expect(container?.volumeMounts?.map(({ name }) => name)).toEqual(['dask-credentials']);
      expect(container?.env?.map(({ name }) => name)).toContain('DASK_DISTRIBUTED__COMM__TLS__CA_FILE');
    }
  });

  it('makes the same pods before and after the object is stored, whatever the replicas', () => {
    const { uid: _uid, ...metadata } = aCluster().metadata;
    const created = { ...aCluster({ replicas: 1 }), metadata };
    const stored = aCluster({ replicas: 9, uid: 'another' });
    expect(podsOf(created, SETTINGS).map(({ pod }) => pod)).toEqual(
      podsOf(stored, SETTINGS).map(({ pod }) => pod),
    );
  });

  it('puts a placeholder where a name is generated', () => {
    const cluster = { ...aCluster(), metadata: { generateName: 'run-' } };
    const { pod } = podOf(cluster, 'scheduler');
    expect([pod.metadata.name, pod.metadata.namespace]).toEqual(['dask-scheduler-run-xxxxx', 'default']);
  });

  it('makes pods of templates that are there, and takes one without containers', () => {
    const cluster = aCluster({ spec: { scheduler: { template: { spec: {} as never } }, worker: {} } });
    expect(podsOf(cluster, SETTINGS).map(({ pod }) => pod.spec.containers)).toEqual([[]]);
    expect(podsOf({ ...aCluster(), spec: {} }, SETTINGS)).toEqual([]);
  });

  it('makes the pods of a gateway-form cluster', () => {
    const cluster: DaskCluster = {
      ...aCluster(),
      spec: { config: { image: IMAGE, worker_extra_pod_config: { tolerations: [{ key: 'a' }] } } },
    };
    const { pod, pathOf } = podOf(cluster, 'worker');
    expect(pod.metadata.name).toBe('dask-worker-demo-xxxxx');
    expect(pod.spec.containers[0]?.env?.map(({ name }) => name)).toContain(
      'DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION',
    );
    expect(pathOf('spec.tolerations[0].operator').toString()).toBe(
      'spec.config.worker_extra_pod_config.tolerations[0].operator',
    );
  });

  it('leaves a gateway-form pod of another shape to Kubernetes', () => {
    const config = { image: IMAGE, worker_extra_pod_config: { volumes: 'none' } };
    const { pod } = podOf({ ...aCluster(), spec: { config } }, 'worker');
    expect(pod.spec.volumes).toEqual('none');
  });
});

describe('where a field of a pod was written', () => {
  const env = [{ name: 'A', value: '1' }];
  const cluster = withDaskContainer('worker', { env, resources: { limits: { 'example.com/gpu': '1' } } });

  it.each([
    ['spec.containers[0].image', 'spec.worker.template.spec.containers[0].image'],
    ['spec.containers[0].env[0].name', 'spec.worker.template.spec.containers[0].env[0].name'],
    [
      'spec.containers[0].resources.limits[example.com/gpu]',
      'spec.worker.template.spec.containers[0].resources.limits[example.com/gpu]',
    ],
    ['spec.hostname', 'spec.worker.template.spec.hostname'],
    ['metadata.labels', 'spec.worker.template.metadata.labels'],
    ['metadata.annotations[a.b/c]', 'spec.worker.template.metadata.annotations[a.b/c]'],
    ['metadata.name', 'metadata.name'],
    ['metadata.namespace', 'metadata.namespace'],
    ['metadata.ownerReferences[0].uid', 'metadata.name'],
  ])('%s: %s', (field, place) => {
    expect(placeIn(cluster, 'worker', field)).toBe(place);
  });

  it.each([
    // Ours: the variable with the worker's name, the credentials, the command, the restart policy.
    ['worker', 'spec.containers[0].env[1].name', 'spec.worker.template.spec.containers[0].env'],
    [
      'worker',
      'spec.containers[0].volumeMounts[0].mountPath',
      'spec.worker.template.spec.containers[0].volumeMounts',
    ],
    ['worker', 'spec.volumes[0].secret.secretName', 'spec.worker.template.spec.volumes'],
    ['worker', 'spec.containers[0].args[0]', 'spec.worker.template.spec.containers[0].args'],
    ['worker', 'spec.restartPolicy', 'spec.worker.template.spec.restartPolicy'],
  ] as const)('stands for what daskwarden wrote there: %s %s', (role, field, place) => {
    const written = placeIn(cluster, role, field);
    expect(written.startsWith(place)).toBe(true);
    expect(['', '[0]']).toContain(written.slice(place.length));
  });

  it('carries the names of list items, by which two versions are compared', () => {
    const sidecar = withPodSpec('worker', {
      containers: [
        { name: 'sidecar', image: IMAGE },
        { name: 'dask-worker', image: IMAGE, env },
      ],
    });
    expect(podOf(sidecar, 'worker').pathOf('spec.containers[1].env[0].value').identity()).toBe(
      'spec.worker.template.spec.containers[name="dask-worker"].env[name="A"].value',
    );
  });
});
