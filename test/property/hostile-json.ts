import fc from 'fast-check';

const CONTAINER = (name: string): object => ({
  name,
  image: 'registry.example.org/dask:2026.3',
  args: ['dask'],
  env: [{ name: 'A', value: 'b' }],
  ports: [{ containerPort: 9000, protocol: 'TCP' }],
  resources: { limits: { cpu: '1' }, requests: { cpu: 0.5 } },
  volumeMounts: [{ name: 'data', mountPath: '/data' }],
});

const POD_SPEC = (name: string): object => ({
  containers: [CONTAINER(name), { name: 'sidecar', image: 'proxy' }],
  nodeSelector: { pool: 'dask' },
  restartPolicy: 'Never',
  tolerations: [{ key: 'dask', operator: 'Exists' }],
  volumes: [{ name: 'data', emptyDir: {} }],
});

/** A good DaskCluster with one of each kind of field. */
export const wholeCluster: object = {
  apiVersion: 'gateway.dask.org/v1alpha1',
  kind: 'DaskCluster',
  metadata: { name: 'demo', namespace: 'team-a', labels: { team: 'a' }, annotations: { note: 'x' } },
  spec: {
    active: true,
    info: { owner: 'ada' },
    scheduler: { template: { metadata: { labels: { a: 'b' } }, spec: POD_SPEC('dask-scheduler') } },
    worker: { replicas: 2, template: { spec: POD_SPEC('dask-worker') } },
  },
  status: { phase: 'Running', workers: { desired: 2 } },
};

export const wholePod: object = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'w',
    labels: { 'gateway.dask.org/cluster': 'demo', 'app.kubernetes.io/component': 'dask-worker' },
  },
  spec: POD_SPEC('dask-worker'),
};

const repeated = (text: string, count: number): string => Array.from({ length: count }, () => text).join();

const SMALL = [
  'null',
  '1e400',
  '-1e400',
  '9007199254740993',
  '-0',
  '""',
  '"\\ud800"',
  '"\\u0000\\u0085"',
  '[]',
  '[null]',
  '{}',
  '{"":null}',
  '{"__proto__":{"polluted":true}}',
  '{"\\u005f_proto__":[]}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"hasOwnProperty":1,"toString":null,"valueOf":{}}',
  '{"name":1,"name":"a","name":null}',
  '{"\\ud800":"\\udfff"}',
];

const HUGE = [
  '['.repeat(10_000) + ']'.repeat(10_000),
  '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000),
  `"${'x'.repeat(3 * 1024 * 1024)}"`,
  `"${'\\n'.repeat(512 * 1024)}"`,
  `{"${'k'.repeat(1024 * 1024)}":1}`,
  `[${repeated('{"name":"a"}', 60_000)}]`,
  `[${repeated('{"name":"a","image":"x","env":[{}],"volumeMounts":[{}]}', 60_000)}]`,
  `[${repeated('null', 60_000)}]`,
  `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":null`).join()}}`,
];

/** Texts of JSON values, also such as no writer of JSON would write. */
export const hostileText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...SMALL) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(...HUGE) },
);

/** A place of a JSON value: the keys that lead there. */
export type Place = readonly string[];

/** Every place of a value, the value itself first. */
export function placesOf(value: unknown): readonly Place[] {
  const below =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, child]) => placesOf(child).map((place) => [key, ...place]))
      : [];
  return [[], ...below];
}

/** The JSON text of the value with `text` in the given place, or where the place is gone the value's own. */
export function replaced(value: unknown, [key, ...below]: Place, text: string): string {
  if (key === undefined) return text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, child]) => {
    const inner = name === key ? replaced(child, below, text) : JSON.stringify(child);
    return Array.isArray(value) ? inner : `${JSON.stringify(name)}:${inner}`;
  });
  return Array.isArray(value) ? `[${members.join()}]` : `{${members.join()}}`;
}
