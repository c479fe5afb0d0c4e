import { describe, expect, it } from 'vitest';
import type { Container, Pod, PodSpec } from '../../../../src/api/kubernetes.ts';
import { credentialsPatch, hasCredentials, roleOfPod } from '../../../../src/core/render/credentials.ts';
import { CREDENTIALS_ENVIRONMENT } from '../../../../src/core/render/environment.ts';
import { renderSchedulerPod, renderWorkerPod } from '../../../../src/core/render/pod.ts';
import { aCluster } from '../../../support/builders.ts';
import { applyJsonPatch } from '../../../support/json-patch.ts';

const CERTIFICATE = '/etc/dask-credentials/dask.crt';
const PRIVATE_KEY = '/etc/dask-credentials/dask.pem';
const volume = { name: 'dask-credentials', secret: { secretName: 'dask-credentials-demo' } };
const mount = { name: 'dask-credentials', mountPath: '/etc/dask-credentials', readOnly: true };

function worker(container: Partial<Container>, spec: Partial<PodSpec> = {}, component = 'dask-worker'): Pod {
  return {
    metadata: { labels: { 'gateway.dask.org/cluster': 'demo', 'app.kubernetes.io/component': component } },
    spec: { containers: [{ name: 'dask-worker', ...container }], ...spec },
  };
}

const injected = (pod: Pod): Pod => applyJsonPatch(pod, credentialsPatch(pod, 'demo'));

describe('credentialsPatch', () => {
  it('sets what turns on mutual TLS, for the scheduler, a worker and a client of its tasks', () => {
    expect(Object.fromEntries(CREDENTIALS_ENVIRONMENT.map(({ name, value }) => [name, value]))).toEqual({
      DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION: 'True',
      DASK_DISTRIBUTED__COMM__TLS__CA_FILE: CERTIFICATE,
      DASK_DISTRIBUTED__COMM__TLS__SCHEDULER__CERT: CERTIFICATE,
      DASK_DISTRIBUTED__COMM__TLS__SCHEDULER__KEY: PRIVATE_KEY,
      DASK_DISTRIBUTED__COMM__TLS__WORKER__CERT: CERTIFICATE,
      DASK_DISTRIBUTED__COMM__TLS__WORKER__KEY: PRIVATE_KEY,
      DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT: CERTIFICATE,
      DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY: PRIVATE_KEY,
    });
  });

  it('makes the lists that are not there', () => {
    expect(credentialsPatch(worker({}), 'demo')).toEqual([
      { op: 'add', path: '/spec/volumes', value: [volume] },
      { op: 'add', path: '/spec/containers/0/volumeMounts', value: [mount] },
      { op: 'add', path: '/spec/containers/0/env', value: CREDENTIALS_ENVIRONMENT },
    ]);
  });

  it.each<[string, Pod]>([
    [
      'null',
      worker(
        { volumeMounts: null, env: null } as unknown as Container,
        { volumes: null } as unknown as PodSpec,
      ),
    ],
    ['empty', worker({ volumeMounts: [], env: [] }, { volumes: [] })],
  ])('fills lists that are %s', (_what, pod) => {
    expect(injected(pod).spec).toEqual({
      volumes: [volume],
      containers: [{ name: 'dask-worker', volumeMounts: [mount], env: CREDENTIALS_ENVIRONMENT }],
    });
  });

  it('appends, so that what is there keeps its order', () => {
    const mine = { name: 'data', mountPath: '/data' };
    const pod = worker(
      {
        volumeMounts: [mine],
        env: [
          { name: 'Z', value: '1' },
          { name: 'A', value: '$(Z)' },
        ],
      },
      { volumes: [{ name: 'data', emptyDir: {} }] },
    );
    const { volumes, containers } = injected(pod).spec;
    expect(volumes).toEqual([{ name: 'data', emptyDir: {} }, volume]);
    expect(containers[0]?.volumeMounts).toEqual([mine, mount]);
    expect(containers[0]?.env?.map(({ name }) => name)).toEqual([
      'Z',
      'A',
      ...CREDENTIALS_ENVIRONMENT.map(({ name }) => name),
    ]);
  });

  it('adds only what is missing: a mount with a trailing slash, a variable and a volume of his stay', () => {
    const own = { ...mount, mountPath: '/etc/dask-credentials/' };
    const { 0: first, ...rest } = CREDENTIALS_ENVIRONMENT;
    const pod = worker(
      { volumeMounts: [own], env: first === undefined ? [] : [first] },
      { volumes: [volume] },
    );
    expect(credentialsPatch(pod, 'demo')).toEqual(
      Object.values(rest).map((value) => ({ op: 'add', path: '/spec/containers/0/env/-', value })),
    );
    expect(injected(pod).spec.containers[0]?.volumeMounts).toEqual([own]);
  });

  it('touches the Dask container alone', () => {
    const proxy = { name: 'proxy', env: [], volumeMounts: [] };
    const pod = worker(
      {},
      { initContainers: [{ name: 'init' }], containers: [proxy, { name: 'dask-worker' }] },
    );
    const { initContainers, containers } = injected(pod).spec;
    expect(initContainers).toEqual([{ name: 'init' }]);
    expect(containers[0]).toEqual(proxy);
    expect(containers[1]?.volumeMounts).toEqual([mount]);
  });

  it('finds the Dask container by its label beside a sidecar that another webhook added', () => {
    const pod = worker({}, { containers: [{ name: 'istio-proxy' }, { name: 'main' }] });
    const labels = { ...pod.metadata.labels, 'daskwarden.dev/container': 'main' };
    const labelled = { ...pod, metadata: { labels } };
    expect(injected(labelled).spec.containers).toMatchObject([
      { name: 'istio-proxy' },
      { volumeMounts: [mount] },
    ]);
    expect(credentialsPatch(pod, 'demo')).toEqual([]);
  });

  it.each([undefined, 'credentials', 'dask-client', 'Dask-Worker'])(
    'leaves a pod alone whose component is %s',
    (name) => {
      const pod = worker({}, {}, name ?? '');
      const { labels: _labels, ...bare } = pod.metadata;
      expect(credentialsPatch(name === undefined ? { ...pod, metadata: bare } : pod, 'demo')).toEqual([]);
    },
  );

  it('is for the cluster that the caller names', () => {
    const other = { name: 'dask-credentials', secret: { secretName: 'dask-credentials-other' } };
    expect(credentialsPatch(worker({}), 'other')[0]).toMatchObject({ path: '/spec/volumes', value: [other] });
  });
});

describe('hasCredentials', () => {
  it.each<[string, Pod]>([
    ['scheduler', renderSchedulerPod(aCluster(), { instance: 'prod' }, 1)],
    ['worker', renderWorkerPod(aCluster(), { instance: 'prod' }, { incarnation: 1, slot: 0 })],
  ])('says whether a %s was injected', (_role, pod) => {
    expect(hasCredentials(pod, 'demo')).toBe(false);
    expect(hasCredentials(injected(pod), 'demo')).toBe(true);
    expect(credentialsPatch(injected(pod), 'demo')).toEqual([]);
  });

  it('is not fooled by a part of it', () => {
    const { volumes, ...spec } = injected(worker({})).spec;
    expect(volumes).toEqual([volume]);
    expect(hasCredentials({ ...worker({}), spec }, 'demo')).toBe(false);
  });

  it('is false where there is nothing that could be injected', () => {
    expect(hasCredentials(worker({}, {}, 'other'), 'demo')).toBe(false);
    expect(hasCredentials(worker({}, { containers: [{ name: 'a' }, { name: 'b' }] }), 'demo')).toBe(false);
  });
});

describe('roleOfPod', () => {
  it.each([
    ['dask-scheduler', 'scheduler'],
    ['dask-worker', 'worker'],
    ['credentials', undefined],
    ['', undefined],
  ])('of the component %s is %s', (component, role) => {
    expect(roleOfPod(worker({}, {}, component))).toBe(role);
    expect(roleOfPod({ metadata: {} })).toBeUndefined();
  });
});
