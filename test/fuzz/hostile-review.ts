import fc, { type Arbitrary } from 'fast-check';
import { hostileText, placesOf, replaced, wholeCluster, wholePod } from '../property/hostile-json.ts';
import { aGatewayCluster } from '../support/gateway-cluster.ts';
import { randomCluster, randomPod } from '../support/random-cluster.ts';
import { aReviewBody } from '../unit/webhooks/reviews.ts';

const CLUSTER = { group: 'gateway.dask.org', version: 'v1alpha1', kind: 'DaskCluster' };
const POD = { group: '', version: 'v1', kind: 'Pod' };
const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

const wholeGateway = JSON.parse(
  JSON.stringify(
    aGatewayCluster({
      worker_cores: 2,
      worker_memory: '4 G',
      environment: { A: 'b' },
      worker_extra_pod_config: { volumes: [{ name: 'data', emptyDir: {} }] },
      worker_extra_container_config: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    }),
  ),
) as object;

/** As much of everything as the size rule lets through: what takes Kubernetes' validation longest. */
const heavy = fc
  .tuple(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 64 }))
  .map(([count, mounts]) => {
    const names = Array.from({ length: mounts }, (_, index) => `v${index}`);
    const volumeMounts = names.map((name) => ({ name, mountPath: `/${name}` }));
    const containers = Array.from({ length: count }, (_, index) => ({
      name: index === 0 ? 'dask-worker' : `c${index}`,
      image: 'x',
      ...(index < 20 && { volumeMounts }),
    }));
    const spec = { containers, volumes: names.map((name) => ({ name, emptyDir: {} })) };
    return { metadata: { name: 'demo' }, spec: { scheduler: {}, worker: { template: { spec } } } };
  });

/** Lists of a pod's spec, of one item or of different ones, up to what the size rule lets through. */
const LISTS: Readonly<Record<string, (name: string) => object>> = {
  topologySpreadConstraints: (name) => ({
    maxSkew: 1,
    topologyKey: name,
    whenUnsatisfiable: 'DoNotSchedule',
  }),
  tolerations: (key) => ({ key, operator: 'Exists' }),
  imagePullSecrets: (name) => ({ name }),
  hostAliases: (name) => ({ ip: '10.0.0.1', hostnames: [name] }),
  readinessGates: (conditionType) => ({ conditionType }),
  schedulingGates: (name) => ({ name }),
  resourceClaims: (name) => ({ name, resourceClaimName: name }),
  volumes: (name) => ({ name, configMap: { name } }),
};

const long = fc
  .tuple(fc.constantFrom(...Object.keys(LISTS)), fc.integer({ min: 1, max: 2_500 }), fc.boolean())
  .map(([field, count, isRepeated]) => {
    const item = LISTS[field] ?? (() => ({}));
    const items = Array.from({ length: count }, (_, index) => item(isRepeated ? 'same' : `n${index}`));
    const containers = [{ name: 'dask-worker', image: 'x' }];
    const spec = { containers, [field]: items };
    return {
      metadata: { name: 'demo' },
      spec: { scheduler: { template: { spec } }, worker: { template: { spec } } },
    };
  });

const clusters: Arbitrary<object> = fc.oneof(
  { weight: 4, arbitrary: randomCluster },
  { weight: 2, arbitrary: fc.constantFrom(wholeCluster, wholeGateway) },
  { weight: 1, arbitrary: heavy },
  { weight: 1, arbitrary: long },
);
const pods: Arbitrary<object> = fc.oneof(randomPod, fc.constant(wholePod));
const scales: Arbitrary<object> = fc.record({
  spec: fc.record({ replicas: fc.constantFrom<unknown>(0, 1, -1, 1e9, 0.5, '3', null, 1e300) }),
});

interface Asked {
  readonly kind: object;
  readonly subResource: string;
  readonly objects: Arbitrary<object>;
}

const asked: readonly Asked[] = [
  { kind: CLUSTER, subResource: '', objects: clusters },
  { kind: CLUSTER, subResource: '', objects: clusters },
  { kind: SCALE, subResource: 'scale', objects: scales },
  { kind: POD, subResource: '', objects: pods.map(connecting) },
  { kind: POD, subResource: 'status', objects: pods },
];

/** Now and then with the label that makes it a client. */
function connecting(pod: object, index = 0): object {
  const { metadata, ...rest } = pod as { readonly metadata?: { readonly labels?: object } };
  if (index % 2 === 1) return pod;
  const labels = { ...metadata?.labels, 'daskwarden.dev/connect': 'team-b.demo' };
  return { ...rest, metadata: { ...metadata, labels } };
}

const users = fc.record({
  username: fc.constantFrom('eve', 'controller', '', '__proto__', 'system:serviceaccount:a:b'),
  groups: fc.constantFrom(['system:authenticated'], [], null),
});

/** Reviews of every path in the shape that the API server gives them, with objects that are mostly sound. */
const reviews: Arbitrary<object> = fc
  .constantFrom(...asked)
  .chain(({ kind, subResource, objects }) =>
    fc.record({
      ...{ kind: fc.constant(kind), subResource: fc.constant(subResource) },
      ...{ object: objects, oldObject: fc.option(objects) },
      operation: fc.constantFrom('CREATE', 'CREATE', 'UPDATE', 'UPDATE', 'DELETE', 'CONNECT'),
      namespace: fc.constantFrom('hostile', 'hostile', 'hostile-2', ''),
      userInfo: users,
      dryRun: fc.boolean(),
    }),
  )
  .map(aReviewBody);

const damaged: Arbitrary<string> = reviews.chain((review) =>
  fc
    .tuple(fc.constantFrom(...placesOf(review)), fc.oneof(fc.constant('null'), hostileText))
    .map(([place, text]) => replaced(review, place, text)),
);

const spliced: Arbitrary<string> = fc
  .tuple(
    reviews,
    fc.nat(),
    fc.nat(60),
    fc.oneof(fc.string({ unit: 'binary' }), hostileText, fc.constant(undefined)),
  )
  .map(([review, from, length, insert]) => {
    const text = JSON.stringify(review);
    const at = from % text.length;
    const cut = text.slice(at, at + length);
    return text.slice(0, at) + (insert ?? cut + cut) + text.slice(at + length);
  });

const sizedBody = fc
  .constantFrom(7 * 1024 * 1024 - 2_000, 7 * 1024 * 1024 + 1)
  .map((bytes) =>
    JSON.stringify(aReviewBody({ object: { metadata: { annotations: { a: 'x'.repeat(bytes) } } } })),
  );

/** What is posted: mostly reviews with something hostile in them. */
export const hostileBody: Arbitrary<string | Uint8Array> = fc.oneof(
  { weight: 30, arbitrary: reviews.map((review) => JSON.stringify(review)) },
  { weight: 40, arbitrary: damaged },
  { weight: 20, arbitrary: spliced },
  { weight: 4, arbitrary: fc.uint8Array({ maxLength: 4_096 }) },
  { weight: 4, arbitrary: fc.json() },
  { weight: 1, arbitrary: sizedBody },
);
