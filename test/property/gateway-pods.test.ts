import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DaskCluster } from '../../src/api/dask-cluster.ts';
import { gatewayPods } from '../../src/core/render/gateway/pods.ts';
import { DEFAULT_GATEWAY_SETTINGS } from '../../src/core/render/gateway/settings.ts';
import { gatewayTemplateViews } from '../../src/core/rules/gateway-views.ts';

type Json = Readonly<Record<string, unknown>>;

/** Names that meet those of a rendered pod, so that merges go deep. */
const NAME = fc.constantFrom(
  ...['containers', 'volumes', 'resources', 'requests', 'limits', 'cpu', 'env', 'args', 'name', 'ports'],
  ...['readinessProbe', 'httpGet', 'port', 'restartPolicy', 'imagePullSecrets', '__proto__', 'toString'],
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, 0, 1.5, '', 'x'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(NAME, tie('value'), { maxKeys: 4 }),
  ),
}));
const extra = fc.dictionary(NAME, value, { maxKeys: 5 });
const KEYS = [
  'image',
  'environment',
  'worker_cmd',
  'worker_cores',
  'worker_memory',
  'worker_threads',
] as const;
const config = fc.record(
  {
    ...Object.fromEntries(KEYS.map((key) => [key, value])),
    image_pull_secrets: fc.oneof(fc.array(value, { maxLength: 2 }), value),
    worker_extra_pod_config: fc.oneof(extra, value),
    worker_extra_container_config: fc.oneof(extra, value),
    scheduler_extra_container_config: extra,
    worker_extra_pod_labels: fc.oneof(extra, value),
  },
  { requiredKeys: [] },
);

function aGatewayCluster(of: Json): DaskCluster {
  return { metadata: { name: 'demo', namespace: 'team-a' }, spec: { config: of } };
}

function* leavesOf(tree: unknown, keys: readonly string[] = []): Generator<[readonly string[], unknown]> {
  const children = typeof tree === 'object' && tree !== null ? Object.entries(tree) : [];
  if (children.length === 0) yield [keys, tree];
  for (const [key, child] of children) yield* leavesOf(child, [...keys, key]);
}

function at(tree: unknown, keys: readonly (string | number)[]): unknown {
  return keys.reduce<unknown>((parent, key) => (parent as Json)[key], tree);
}

test('whatever the configuration holds: pods, and views of declared types alone', () => {
  fc.assert(
    fc.property(config, (given) => {
      const cluster = aGatewayCluster(given);
      expect(gatewayPods(cluster, DEFAULT_GATEWAY_SETTINGS)).toHaveLength(2);
      for (const { template, dask } of gatewayTemplateViews(cluster)) {
        for (const label of Object.values(template.metadata?.labels ?? {}))
          expect(label).toBeTypeOf('string');
        expect(Array.isArray(dask?.container.env ?? [])).toBe(true);
      }
    }),
  );
});

test('what stands in the extra parts is found where the pod says it was written', () => {
  fc.assert(
    fc.property(config, (given) => {
      const cluster = aGatewayCluster(given);
      for (const { pod, placeOf } of gatewayPods(cluster, DEFAULT_GATEWAY_SETTINGS)) {
        for (const [keys, leaf] of leavesOf(pod)) {
          const place = placeOf(keys);
          if (!place?.toString().includes('_extra_')) continue;
          const written = at(cluster, place.keys());
          // An empty part that was merged into one of ours has nothing that it could differ in.
          if (written !== undefined && JSON.stringify(leaf) !== '{}') expect(written).toEqual(leaf);
        }
      }
    }),
  );
});
