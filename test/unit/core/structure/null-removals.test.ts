import { describe, expect, it } from 'vitest';
import { nullRemovals } from '../../../../src/core/structure/null-removals.ts';
import { MANIFESTS } from '../../../support/manifests.ts';

function withPod(spec: object, template: object = {}): object {
  return { metadata: { name: 'demo' }, spec: { scheduler: { template: { ...template, spec } } } };
}

const POD = '/spec/scheduler/template/spec';

/** Applies `remove` operations as the API server does: each of them must find its field. */
function remove(object: object, pointers: readonly string[]): object {
  const copy = structuredClone(object);
  for (const pointer of pointers) {
    const segments = pointer
      .slice(1)
      .split('/')
      .map((text) => text.replaceAll('~1', '/').replaceAll('~0', '~'));
    const key = segments.pop() ?? '';
    const parent = segments.reduce<unknown>(
      (value, segment) => (value as Record<string, unknown>)[segment],
      copy,
    );
    if (!Object.hasOwn(parent as object, key)) throw new Error(`nothing at ${pointer}`);
    Reflect.deleteProperty(parent as object, key);
  }
  return copy;
}

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

it.each(MANIFESTS)('is done after once: $file', ({ object }) => {
  const pointers = removed(object);
  expect(removed(remove(object, pointers))).toEqual([]);
});
