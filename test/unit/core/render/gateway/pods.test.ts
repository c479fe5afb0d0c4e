import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DaskCluster } from '../../../../../src/api/dask-cluster.ts';
import type { Pod } from '../../../../../src/api/kubernetes.ts';
import { credentialsPatch } from '../../../../../src/core/render/credentials.ts';
import { gatewayPods, type GatewayPod } from '../../../../../src/core/render/gateway/pods.ts';
import type { GatewaySettings } from '../../../../../src/core/render/gateway/settings.ts';
import { applyJsonPatch } from '../../../../support/json-patch.ts';

type Config = Readonly<Record<string, unknown>>;

/** What dask-gateway's controller renders; make.py beside it says how it was made. */
const GOLDEN = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../fixtures/gateway-pods/golden.json'), 'utf8'),
) as Readonly<Record<string, { config: Config; scheduler: Pod; worker: Pod }>>;

const SETTINGS: GatewaySettings = {
  instance: 'gateway-a',
  apiUrl: 'http://gateway.example.org/api',
  commonLabels: { 'app.kubernetes.io/name': 'dask-gateway', team: 'common' },
  commonAnnotations: { note: 'common' },
};

function aGatewayCluster(config: Config): DaskCluster {
  return {
    metadata: { name: 'demo', namespace: 'team-a' },
    spec: { username: 'alice', options: {}, config },
  };
}

function podsOf(config: Config): { scheduler: GatewayPod; worker: GatewayPod } {
  const [scheduler, worker] = gatewayPods(aGatewayCluster(config), SETTINGS);
  if (scheduler === undefined || worker === undefined) throw new Error('a pod is missing');
  return { scheduler, worker };
}

/** dask-gateway's pod with what is meant to differ. */
function withDeviations(pod: Pod, role: 'scheduler' | 'worker'): unknown {
  const changed = structuredClone(pod);
  const [container] = changed.spec.containers;
  if (container?.args?.[0] === `dask-${role}`) container.args.splice(0, 1, 'dask', role);
  const probe = container?.readinessProbe;
  if (probe?.periodSeconds === 5) probe.periodSeconds = 1;
  if (probe?.failureThreshold === 3) probe.failureThreshold = 15;
  return { ...changed, metadata: { ...changed.metadata, namespace: 'team-a' } };
}

describe.each(Object.entries(GOLDEN))("dask-gateway's pods: %s", (_name, { config, scheduler, worker }) => {
  const pods = podsOf(config);

  test.each([
    ['scheduler', scheduler],
    ['worker', worker],
  ] as const)('%s', (role, golden) => {
    expect(pods[role].pod).toEqual(withDeviations(golden, role));
  });

  test('injection adds to them only the variables that dask-gateway does not know', () => {
    for (const { pod } of Object.values(pods)) {
      const injected = applyJsonPatch(pod, credentialsPatch(pod, 'demo'));
      const { spec } = injected;
      expect(spec.volumes).toEqual(pod.spec.volumes);
      expect(spec.containers.map(({ volumeMounts }) => volumeMounts)).toEqual(
        pod.spec.containers.map(({ volumeMounts }) => volumeMounts),
      );
      const before = pod.spec.containers[0]?.env ?? [];
      const after = spec.containers[0]?.env ?? [];
      expect(after.slice(0, before.length)).toEqual(before);
      if (pod.metadata.labels?.['app.kubernetes.io/component'] === 'other') continue;
      expect(after.slice(before.length).map(({ name }) => name)).toEqual([
        'DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION',
        'DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT',
        'DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY',
      ]);
    }
  });
});

describe('what dask-gateway would not get that far with', () => {
  test.each([
    ['no key at all', {}],
    [
      'every key null',
      Object.fromEntries(Object.keys(GOLDEN['defaults']?.config ?? {}).map((key) => [key, null])),
    ],
  ])('%s gives the pods of its defaults', (_what, config) => {
    const { scheduler, worker } = podsOf(GOLDEN['defaults']?.config ?? {});
    expect(podsOf(config).scheduler.pod).toEqual(scheduler.pod);
    expect(podsOf(config).worker.pod).toEqual(worker.pod);
  });

  test("a cluster's own instance label wins over the installation's", () => {
    const cluster = aGatewayCluster({});
    const labels = { 'gateway.dask.org/instance': 'gateway-b' };
    const [pod] = gatewayPods({ ...cluster, metadata: { ...cluster.metadata, labels } }, SETTINGS);
    expect(pod?.pod.metadata.labels?.['gateway.dask.org/instance']).toBe('gateway-b');
  });
});

describe('where a field of a pod was written', () => {
  const amounts = GOLDEN['amounts']?.config ?? {};
  const pods = GOLDEN['extra pods']?.config ?? {};
  const containers = GOLDEN['extra containers']?.config ?? {};
  const labels = GOLDEN['labels and annotations']?.config ?? {};
  const limited = { worker_cores: 2, worker_memory: 5 };

  const places: readonly (readonly [string, 'scheduler' | 'worker', Config, string, string])[] = [
    ['a request', 'worker', amounts, 'spec.containers[0].resources.requests[cpu]', 'worker_cores'],
    [
      'a limit',
      'scheduler',
      amounts,
      'spec.containers[0].resources.limits[memory]',
      'scheduler_memory_limit',
    ],
    [
      'a limit that is its request',
      'worker',
      limited,
      'spec.containers[0].resources.limits[memory]',
      'worker_memory',
    ],
    ['the image', 'worker', amounts, 'spec.containers[0].image', 'image'],
    [
      'a pull secret',
      'worker',
      GOLDEN['image']?.config ?? {},
      'spec.imagePullSecrets[0].name',
      'image_pull_secrets[0].name',
    ],
    [
      'a pull secret behind it',
      'worker',
      GOLDEN['image']?.config ?? {},
      'spec.imagePullSecrets[1].name',
      'worker_extra_pod_config.imagePullSecrets[0].name',
    ],
    [
      'a word of the command',
      'worker',
      GOLDEN['commands']?.config ?? {},
      'spec.containers[0].args[4]',
      'worker_cmd[4]',
    ],
    ['a mended word', 'worker', amounts, 'spec.containers[0].args[1]', 'worker_cmd[0]'],
    ['the threads', 'worker', amounts, 'spec.containers[0].args[8]', 'worker_threads'],
    [
      'an added argument',
      'worker',
      containers,
      'spec.containers[0].args[12]',
      'worker_extra_container_config.args[1]',
    ],
    [
      'a variable',
      'worker',
      { environment: { A: '1', B: 2 } },
      'spec.containers[0].env[1].value',
      'environment[B]',
    ],
    [
      'an added variable',
      'scheduler',
      containers,
      'spec.containers[0].env[8].name',
      'scheduler_extra_container_config.env[0].name',
    ],
    [
      'an amount that was replaced',
      'worker',
      containers,
      'spec.containers[0].resources.requests[cpu]',
      'worker_extra_container_config.resources.requests[cpu]',
    ],
    [
      'an amount of a key with dots',
      'worker',
      containers,
      'spec.containers[0].resources.limits[nvidia.com/gpu]',
      'worker_extra_container_config.resources.limits[nvidia.com/gpu]',
    ],
    [
      'a part of the probe',
      'scheduler',
      containers,
      'spec.containers[0].readinessProbe.timeoutSeconds',
      'scheduler_extra_container_config.readinessProbe.timeoutSeconds',
    ],
    [
      'a volume behind ours',
      'worker',
      pods,
      'spec.volumes[1].emptyDir.medium',
      'worker_extra_pod_config.volumes[0].emptyDir.medium',
    ],
    ['a sidecar', 'worker', pods, 'spec.containers[1].image', 'worker_extra_pod_config.containers[0].image'],
    [
      'an init container',
      'worker',
      pods,
      'spec.initContainers[0].name',
      'worker_extra_pod_config.initContainers[0].name',
    ],
    [
      'a field that could be there',
      'scheduler',
      pods,
      'spec.securityContext.runAsNonRoot',
      'scheduler_extra_pod_config.securityContext.runAsNonRoot',
    ],
    [
      'one of the container',
      'worker',
      {},
      'spec.containers[0].securityContext.runAsNonRoot',
      'worker_extra_container_config.securityContext.runAsNonRoot',
    ],
    [
      'a label',
      'scheduler',
      labels,
      'metadata.labels[hub.jupyter.org/username]',
      'scheduler_extra_pod_labels[hub.jupyter.org/username]',
    ],
    ['the labels', 'scheduler', labels, 'metadata.labels', 'scheduler_extra_pod_labels'],
    ['what is ours', 'worker', {}, 'spec.volumes[0].name', ''],
  ];

  test.each(places.map(([what, ...place]) => [what, place] as const))('%s', (_what, place) => {
    const [role, config, podField, key] = place;
    const path = podsOf(config)[role].pathOf(podField).toString();
    expect(path).toBe(key === '' ? 'spec.config' : `spec.config.${key}`);
  });

  test('the name', () => {
    expect(podsOf({}).scheduler.pathOf('metadata.name').toString()).toBe('metadata.name');
  });

  test('nowhere, for what is ours', () => {
    const { scheduler } = podsOf({});
    expect(scheduler.placeOf(['spec', 'volumes', 0, 'secret', 'secretName'])).toBeUndefined();
    expect(scheduler.placeOf(['spec', 'containers', 0, 'env', 0, 'name'])).toBeUndefined();
    expect(scheduler.placeOf(['metadata', 'labels', 'gateway.dask.org/instance'])).toBeUndefined();
  });
});
