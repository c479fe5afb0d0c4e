import fc, { type Arbitrary } from 'fast-check';
import type { DaskCluster } from '../../src/api/dask-cluster.ts';
import type { Pod } from '../../src/api/kubernetes.ts';

/** What rules look for, what only looks like it, what every object has, and what no text should be. */
const COMMON = [
  '',
  'a',
  'demo',
  '__proto__',
  'constructor',
  'x'.repeat(500),
  `${'x'.repeat(119)}🎈`,
  'a\u0000\nb',
];
const oneOf = <T>(...values: readonly T[]): Arbitrary<T> => fc.constantFrom(...values);
const text = (...values: readonly string[]): Arbitrary<string> => oneOf(...values, ...COMMON);

const NAMESPACE = oneOf('a', 'b', 'n'.repeat(60), '');
const NAME = text('demo.x', 'Demo', 'x'.repeat(60));
const CONTAINER_NAME = oneOf('dask-scheduler', 'dask-worker', 'dask-scheduler', 'dask-worker', 'proxy', '');
const VOLUME_NAME = oneOf('dask-credentials', 'data', '', '__proto__');
const PATH = text('/etc/dask-credentials/', '/etc/x/../dask-credentials/y', '..', '/data');
const VARIABLE = text(
  ...[
    'DASK_WORKER_NAME',
    'DASK_DISTRIBUTED',
    'DASK_DISTRIBUTED.COMM.TLS.',
    'DASK_DISTRIBUTED__COMM__TLS__CA_FILE',
  ],
  ...['DASK_', 'PATH', `DASK_DISTRIBUTED__COMM__TLS__${'X'.repeat(500)}`],
);
const WORD = text(
  'dask',
  '--port',
  '--port=1',
  '--host=:1',
  '--protocol',
  'ws',
  '--tls-key',
  '8786',
  'dask-worker',
  '$(X)',
  '--x',
);
const NUMBER = oneOf(8786, 8787, -1, 0, 0.5, 1e300);
const QUANTITY = oneOf<string | number>('1', '500m', '1Gi', '1e3', '8Ei', '-1', '.', 'x', '', 0.5, 1e300);
const RESOURCE = oneOf('cpu', 'memory', '__proto__', 'constructor');
const POLICY = oneOf('Always', 'Never', 'OnFailure', 'Sometimes', '');
const LABEL = oneOf(
  'gateway.dask.org/cluster',
  'gateway.dask.org/instance',
  'app.kubernetes.io/component',
  'daskwarden.dev/slot',
  '__proto__',
);

const ABSENT = Symbol('absent');

/** An object that lacks one field in eight, also such as must be there: what is left when unsound parts are out. */
function some(fields: Readonly<Record<string, Arbitrary<unknown>>>): Arbitrary<object> {
  const maybe = Object.entries(fields).map(([name, value]) => [
    name,
    fc.option(value, { freq: 8, nil: ABSENT }),
  ]);
  return fc
    .record(Object.fromEntries(maybe) as Record<string, Arbitrary<unknown>>)
    .map((object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== ABSENT)));
}

const list = (item: Arbitrary<unknown>, maxLength = 2): Arbitrary<unknown[]> => fc.array(item, { maxLength });
const map = (key: Arbitrary<string>, value: Arbitrary<unknown>): Arbitrary<object> =>
  fc.dictionary(key, value, { maxKeys: 2 });

const secret = some({ name: oneOf('dask-credentials-demo', 'dask-credentials-other', 'other', '') });
const resources = some({ requests: map(RESOURCE, QUANTITY), limits: map(RESOURCE, QUANTITY) });
const exitCodes = some({ operator: oneOf('In', 'NotIn', ''), values: list(NUMBER) });
const fieldRef = some({ fieldPath: oneOf('metadata.name', '') });

const container = some({
  name: CONTAINER_NAME,
  image: oneOf('ghcr.io/dask/dask:1', 'python:3', '@', ''),
  command: list(WORD, 4),
  args: list(WORD, 6),
  env: list(some({ name: VARIABLE, value: NAME, valueFrom: some({ secretKeyRef: secret, fieldRef }) })),
  envFrom: list(some({ prefix: VARIABLE, secretRef: secret })),
  ports: list(some({ name: NAME, containerPort: NUMBER, protocol: oneOf('TCP', 'UDP', '') })),
  resources,
  restartPolicy: POLICY,
  restartPolicyRules: list(some({ action: oneOf('Restart', ''), exitCodes })),
  volumeMounts: list(some({ name: VOLUME_NAME, mountPath: PATH, subPath: NAME })),
  volumeDevices: list(some({ name: VOLUME_NAME, devicePath: PATH })),
});
const volume = some({
  name: VOLUME_NAME,
  secret: some({
    secretName: oneOf('dask-credentials-demo', 'dask-credentials-other'),
    optional: fc.boolean(),
  }),
  projected: some({ sources: list(some({ secret })) }),
  rbd: some({ secretRef: secret }),
});
const template = some({
  metadata: some({ labels: map(LABEL, NAME), name: NAME, namespace: NAMESPACE }),
  spec: some({
    containers: list(container),
    initContainers: list(container, 1),
    volumes: list(volume),
    imagePullSecrets: list(secret),
    restartPolicy: POLICY,
    resources,
  }),
});

/** A DaskCluster of which every field that is there has its declared type, sensible or not. */
export const randomCluster = fc.record({
  metadata: some({ name: NAME, generateName: NAME, namespace: NAMESPACE, labels: map(LABEL, NAME) }),
  spec: some({
    scheduler: some({ template }),
    worker: some({ template, replicas: NUMBER }),
    config: oneOf({}, { image: 'x', worker_extra_pod_config: { hostNetwork: true } }),
    username: NAME,
    placement: some({ namespaceMode: oneOf('Shared', 'Managed'), namespace: NAMESPACE }),
    lifecycle: some({ activeDeadlineSeconds: oneOf(1, 1e9), schedulerRestarts: oneOf(1) }),
    routes: oneOf('traefik', 'none'),
  }).map(withOneForm),
}) as Arbitrary<DaskCluster>;

/** Seven of eight would have both forms, of which rules say nothing. */
function withOneForm(spec: object): object {
  const { config: _config, ...template } = spec as { config?: object };
  return 'scheduler' in spec ? template : spec;
}

const podContainer = fc.record(
  {
    name: CONTAINER_NAME,
    image: NAME,
    env: fc.option(list(fc.record({ name: VARIABLE, value: NAME }))),
    volumeMounts: fc.option(list(fc.record({ name: VOLUME_NAME, mountPath: PATH }))),
  },
  { requiredKeys: ['name'] },
);

/** Pods with some of what is injected, and with lists that are null or absent. */
export const randomPod = fc.record({
  metadata: some({
    labels: some({
      'gateway.dask.org/cluster': oneOf('demo'),
      'app.kubernetes.io/component': oneOf('dask-scheduler', 'dask-worker', 'credentials'),
      'daskwarden.dev/container': CONTAINER_NAME,
    }),
  }),
  spec: fc.record(
    {
      containers: list(podContainer, 3),
      initContainers: list(podContainer),
      volumes: fc.option(list(fc.record({ name: VOLUME_NAME, emptyDir: fc.constant({}) }))),
    },
    { requiredKeys: ['containers'] },
  ),
}) as unknown as Arbitrary<Pod>;
