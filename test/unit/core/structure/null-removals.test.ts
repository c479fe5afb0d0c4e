import { describe, expect, it } from 'vitest';
import { nullRemovals } from '../../../../src/core/structure/null-removals.ts';
import { segmentsOf, valueAt } from '../../../../src/core/structure/place.ts';
import { applyJsonPatch } from '../../../support/json-patch.ts';
import { MANIFESTS } from '../../../support/manifests.ts';

function withPod(spec: object, template: object = {}): object {
  return { metadata: { name: 'demo' }, spec: { scheduler: { template: { ...template, spec } } } };
}

const POD = '/spec/scheduler/template/spec';

function removed(object: unknown): string[] {
  return nullRemovals(object).map(({ path }) => path);
}

describe('takes out', () => {
  it.each<[string, object, string[]]>([
    ['a list', withPod({ tolerations: null }), [`${POD}/tolerations`]],
    ['an object', withPod({ securityContext: null }), [`${POD}/securityContext`]],
    ['a text', withPod({ containers: [{ name: 'a', image: null }] }), [`${POD}/containers/0/image`]],
    [
      'a port by name or number',
      withPod({ containers: [{ name: 'a', readinessProbe: { tcpSocket: { port: null } } }] }),
      [`${POD}/containers/0/readinessProbe/tcpSocket/port`],
    ],
    [
      'below an entry of a map with an odd key',
      { spec: { scheduler: null, 'a/b~c': null, lifecycle: { idleTimeoutSeconds: null } } },
      ['/spec/scheduler', '/spec/lifecycle/idleTimeoutSeconds'],
    ],
  ])('%s', (_, object, pointers) => {
    expect(removed(object).sort()).toEqual(pointers.sort());
  });
});

describe('leaves', () => {
  it.each<[string, object]>([
    ['list items', withPod({ containers: [{ name: 'a', args: [null] }, null], imagePullSecrets: [null] })],
    ['map entries', withPod({ nodeSelector: { a: null }, overhead: { cpu: null } })],
    ['unknown fields', withPod({ brandNew: null })],
    ['free objects', { spec: { options: { a: null }, config: { environment: { A: null } } } }],
    ["dask-gateway's", { spec: { config: { cluster_max_cores: null, image_pull_policy: null, own: null } } }],
    ['metadata and status', { metadata: { labels: null }, spec: { config: {} }, status: null }],
    ['wrong values', withPod({ tolerations: 'text', hostNetwork: 'yes' })],
    ['what is no object', [null]],
  ])('%s', (_, object) => {
    expect(removed(object)).toEqual([]);
  });
});

it.each(MANIFESTS)('finds each of its fields, and is done after once: $file', ({ object }) => {
  const operations = nullRemovals(object);
  for (const { path } of operations) expect(valueAt(object, segmentsOf(path))).toBe(null);
  expect(nullRemovals(applyJsonPatch(object, operations))).toEqual([]);
});
