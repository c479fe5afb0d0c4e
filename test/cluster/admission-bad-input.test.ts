import { describe, expect } from 'vitest';
import { DASK_CLUSTERS } from '../../src/api/dask-cluster.ts';
import type { KubeObject } from '../../src/api/kubernetes.ts';
import { ApiError } from '../../src/kube/errors.ts';
import { placesOf, replaced, wholeCluster } from '../property/hostile-json.ts';
import { clusterTest as it } from '../support/cluster-test.ts';
import { kubectl } from '../support/kubectl.ts';
import { cluster, postDry, refusalOf } from './webhook-objects.ts';

describe('bad input is refused in plain words, and never with a 500', () => {
  const COLLECTION = (namespace: string): string =>
    `/apis/gateway.dask.org/v1alpha1/namespaces/${namespace}/daskclusters`;

  it.for([
    ['no JSON', 'spec: [', /json parse error: invalid character 's'/],
    ['another kind', '{"apiVersion":"v1","kind":"Pod"}', /the API version in the data \(v1\) does not match/],
    ['a list', '[]', /must be of type DaskCluster/],
    ['nothing', '{}', /Object 'Kind' is missing/],
  ] as const)('%s, as kubectl posts it', async ([, input, words], { namespace }) => {
    const { code, stderr } = await kubectl(['create', '--raw', COLLECTION(namespace), '-f', '-'], { input });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error from server \(BadRequest\): /);
    expect(stderr).toMatch(words);
  });

  it.for([
    ['a template as text', '{"scheduler":{"template":"apiVersion: v1"}}', 'spec.scheduler.template'],
    ['a spec as text', '"x"', 'spec'],
    ['a spec as a list', '[]', 'spec'],
    ['a prototype', '{"scheduler":{"template":{}},"__proto__":{"active":true}}', 'spec.__proto__'],
    ['a constructor', '{"scheduler":{"template":{}},"constructor":{}}', 'spec.constructor'],
    [
      '2 MiB of a template',
      `{"scheduler":{"template":{"spec":{"hostname":"${'x'.repeat(2 * 1024 * 1024)}"}}}}`,
      'spec.scheduler.template',
    ],
  ] as const)('%s', async ([, spec, field], { client, namespace }) => {
    const { apiVersion, kind, metadata } = cluster();
    const object = { apiVersion, kind, metadata, spec: JSON.parse(spec) as unknown };
    const { faults } = await postDry(client, namespace, object);
    expect(faults.map((fault) => fault.split(': ')[0])).toContain(field);
  });

  it('more than the API server takes, 3 MiB', async ({ client, namespace }) => {
    const huge = cluster({ spec: { info: { a: 'x'.repeat(4 * 1024 * 1024) } } });
    const error = await refusalOf(client.create(DASK_CLUSTERS, { namespace }, huge));
    expect(error).toMatchObject({ code: 413 });
  });

  it('null in every place', async ({ client, namespace }) => {
    const places = placesOf(wholeCluster).filter((place) => place.length > 0);
    const codes = await Promise.all(
      places.map(async (place) => {
        const object = JSON.parse(replaced(wholeCluster, place, 'null')) as KubeObject;
        const { metadata } = object as { metadata: object | null };
        const placed = { ...object, metadata: metadata && { ...metadata, namespace } } as KubeObject;
        const call = client.create(DASK_CLUSTERS, { namespace }, placed, { dryRun: true });
        const code = await call.then(
          () => 201,
          (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
        );
        return { place: place.join('.'), code };
      }),
    );
    expect(codes.filter(({ code }) => ![201, 400, 422].includes(Number(code)))).toEqual([]);
    expect(codes.filter(({ code }) => code === 201).length).toBeGreaterThan(10);
  });
});
