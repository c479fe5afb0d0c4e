import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../../src/api/kubernetes.ts';
import { DEFAULT_POLICY, type Policy } from '../../../../src/core/policy/policy.ts';
import { completeImage, isFrom } from '../../../../src/core/rules/image-reference.ts';
import { images } from '../../../../src/core/rules/images.ts';
import { aCluster, IMAGE, withPodSpec } from '../../../support/builders.ts';
import { aGatewayCluster } from '../../../support/gateway-cluster.ts';
import { expectFinding, expectNothing } from '../../../support/verdict.ts';

const from = (...imageRegistries: string[]): { policy: Policy } => ({
  policy: { ...DEFAULT_POLICY, imageRegistries },
});
const circumstances = from('registry.example.org/');
const EVIL = 'evil.example.org/dask:1';
const dask = { name: 'dask-worker', image: IMAGE };

describe('images', () => {
  it.each<[string, Partial<PodSpec>]>([
    ['containers[0].image', { containers: [{ ...dask, image: EVIL }] }],
    ['containers[1].image', { containers: [dask, { name: 'proxy', image: EVIL }] }],
    ['initContainers[0].image', { initContainers: [{ name: 'init', image: EVIL }] }],
    ['ephemeralContainers[0].image', { ephemeralContainers: [{ name: 'debug', image: EVIL }] }],
    ['volumes[0].image.reference', { volumes: [{ name: 'data', image: { reference: EVIL } }] }],
  ])('refuses an image from elsewhere at %s', (path, spec) => {
    const cluster = withPodSpec('worker', spec);
    expectFinding(
      images,
      cluster,
      { path: `spec.worker.template.spec.${path}`, says: 'admits images from registry.example.org/ only' },
      circumstances,
    );
    expectNothing(images, cluster);
  });

  it('allows those of the registry, and leaves one that is not there to Kubernetes', () => {
    expectNothing(images, aCluster(), circumstances);
    expectNothing(images, withPodSpec('worker', { containers: [{ name: 'dask-worker' }] }), circumstances);
  });

  it('says once of the gateway form what stands there once', () => {
    const cluster = aGatewayCluster({ image: EVIL });
    const extra = aGatewayCluster({
      image: IMAGE,
      worker_extra_pod_config: { containers: [{ name: 'proxy', image: EVIL }] },
    });
    expectFinding(images, cluster, { path: 'spec.config.image', says: 'only' }, circumstances);
    const path = 'spec.config.worker_extra_pod_config.containers[0].image';
    expectFinding(images, extra, { path, says: 'only' }, circumstances);
  });
});

describe('completeImage', () => {
  it.each([
    ['python', 'docker.io/library/python'],
    ['python:3', 'docker.io/library/python:3'],
    ['daskdev/dask', 'docker.io/daskdev/dask'],
    ['index.docker.io/daskdev/dask', 'docker.io/daskdev/dask'],
    ['docker.io/python', 'docker.io/library/python'],
    ['localhost/dask', 'localhost/dask'],
    ['host:5000/dask', 'host:5000/dask'],
    ['ghcr.io/dask/dask@sha256:0', 'ghcr.io/dask/dask@sha256:0'],
  ])('of %s is %s', (image, complete) => {
    expect(completeImage(image)).toBe(complete);
  });
});

describe('isFrom', () => {
  it.each([
    ['ghcr.io/dask/dask:1', 'ghcr.io'],
    ['ghcr.io/dask/dask:1', 'ghcr.io/'],
    ['ghcr.io/dask/dask:1', 'ghcr.io/dask'],
    ['ghcr.io/dask/dask:1', 'ghcr.io/dask/'],
    ['ghcr.io/dask/dask:1', 'ghcr.io/dask/dask'],
    ['ghcr.io/dask/dask:1', 'ghcr.io/dask/dask:1'],
    ['ghcr.io/dask/dask@sha256:0', 'ghcr.io/dask/dask@'],
    ['daskdev/dask', 'docker.io/'],
    ['daskdev/dask', 'index.docker.io'],
    ['docker.io/daskdev/dask', 'daskdev/'],
    ['python:3', 'python'],
    ['host:5000/dask', 'host:5000'],
  ])('finds %s in %s', (image, prefix) => {
    expect(isFrom(image, ['other.example.org/', prefix])).toBe(true);
  });

  it.each([
    ['ghcr.io/dask-evil/dask', 'ghcr.io/dask'],
    ['ghcr.io.evil.example.org/dask', 'ghcr.io'],
    ['evil.example.org/ghcr.io/dask', 'ghcr.io/'],
    ['daskdev-evil/dask', 'daskdev'],
    ['python-evil', 'python'],
    ['ghcr.io/dask/dask:10', 'ghcr.io/dask/dask:1'],
  ])('does not find %s in %s', (image, prefix) => {
    expect(isFrom(image, [prefix])).toBe(false);
  });
});
