import { describe, expect, it } from 'vitest';
import type { Container, Pod } from '../../../src/api/kubernetes.ts';
import { daskContainerIndex, daskContainerOfPod } from '../../../src/core/dask-container.ts';

const containers = (names: readonly string[]): Container[] => names.map((name) => ({ name }));
const pod = (names: readonly string[], label?: string): Pod => ({
  metadata: { labels: label === undefined ? {} : { 'daskwarden.dev/container': label } },
  spec: { containers: containers(names) },
});

describe('the Dask container of a template', () => {
  it.each<[readonly string[], number | undefined]>([
    [['dask-worker'], 0],
    [['proxy', 'dask-worker'], 1],
    [['dask-worker', 'proxy'], 0],
    [['main'], 0],
    [['dask-scheduler'], 0],
    [['main', 'proxy'], undefined],
    [['dask-scheduler', 'proxy'], undefined],
    [[], undefined],
  ])('of a worker with %j is number %s', (names, index) => {
    expect(daskContainerIndex(containers(names), 'worker')).toBe(index);
  });
});

describe('the Dask container of a pod', () => {
  it.each<[string, Pod, number | undefined]>([
    ['by its label, beside a sidecar that another webhook added', pod(['istio-proxy', 'main'], 'main'), 1],
    ['by its label before its name', pod(['dask-worker', 'main'], 'main'), 1],
    ['by its name', pod(['istio-proxy', 'dask-worker']), 1],
    ['by its name where the label names nothing', pod(['istio-proxy', 'dask-worker'], 'gone'), 1],
    ['as the only one', pod(['main']), 0],
    ['not at all', pod(['istio-proxy', 'main']), undefined],
  ])('is found %s', (_how, given, index) => {
    expect(daskContainerOfPod(given, 'worker')?.index).toBe(index);
    const container = index === undefined ? undefined : given.spec.containers[index];
    expect(daskContainerOfPod(given, 'worker')?.container).toBe(container);
  });

  it('is none in a pod without labels or containers', () => {
    const bare = { metadata: {}, spec: {} } as unknown as Pod;
    expect(daskContainerOfPod(bare, 'scheduler')).toBeUndefined();
  });
});
