import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../src/api/kubernetes.ts';
import { daskContainerOfPod } from '../../src/core/dask-container.ts';
import { credentialsPatch, hasCredentials, roleOfPod } from '../../src/core/render/credentials.ts';
import { CREDENTIALS_ENVIRONMENT } from '../../src/core/render/environment.ts';
import { applyJsonPatch } from '../support/json-patch.ts';
import { randomPod } from '../support/random-cluster.ts';

const RUNS = 1_000;
const injected = (pod: Pod): Pod => applyJsonPatch(pod, credentialsPatch(pod, 'demo'));

function daskIndexOf(pod: Pod): number | undefined {
  const role = roleOfPod(pod);
  return role === undefined ? undefined : daskContainerOfPod(pod, role)?.index;
}

/** Runs a check on pods that have a Dask container, and makes sure that there were enough of them. */
function forDaskPods(check: (pod: Pod, index: number) => void): void {
  let checked = 0;
  fc.assert(
    fc.property(randomPod, (pod) => {
      const index = daskIndexOf(pod);
      if (index === undefined) return;
      checked += 1;
      check(pod, index);
    }),
    { numRuns: RUNS },
  );
  expect(checked).toBeGreaterThan(100);
}

describe('the injection of credentials', () => {
  it('is done once, and then seen to be done', () => {
    forDaskPods((pod) => {
      const once = injected(pod);
      expect(credentialsPatch(once, 'demo')).toEqual([]);
      expect(hasCredentials(once, 'demo')).toBe(true);
      expect(hasCredentials(pod, 'demo')).toBe(credentialsPatch(pod, 'demo').length === 0);
    });
  });

  it('only adds, at the end of lists', () => {
    forDaskPods((pod, index) => {
      const after = injected(pod).spec;
      const [old, dask] = [pod.spec.containers[index], after.containers[index]];
      expectAppended(pod.spec.volumes, after.volumes);
      expectAppended(old?.env, dask?.env);
      expectAppended(old?.volumeMounts, dask?.volumeMounts);
    });
  });

  it('gives the Dask container the volume, its mount and every variable', () => {
    forDaskPods((pod, index) => {
      const { volumes, containers } = injected(pod).spec;
      const names = (list: readonly { name?: string }[] | undefined): unknown[] =>
        (list ?? []).map(({ name }) => name);
      expect(names(volumes)).toContain('dask-credentials');
      expect(names(containers[index]?.volumeMounts)).toContain('dask-credentials');
      expect(names(containers[index]?.env)).toEqual(expect.arrayContaining(names(CREDENTIALS_ENVIRONMENT)));
    });
  });

  it('touches nothing else', () => {
    forDaskPods((pod, index) => {
      const after = injected(pod);
      expect(withoutInjected(after, index)).toEqual(withoutInjected(pod, index));
    });
  });

  it('leaves every other pod as it is', () => {
    fc.assert(
      fc.property(randomPod, (pod) => {
        if (daskIndexOf(pod) !== undefined) return;
        expect(credentialsPatch(pod, 'demo')).toEqual([]);
        expect(hasCredentials(pod, 'demo')).toBe(false);
      }),
      { numRuns: RUNS },
    );
  });
});

function expectAppended(
  before: readonly unknown[] | null | undefined,
  after: readonly unknown[] | undefined,
): void {
  expect(after?.slice(0, before?.length ?? 0)).toEqual(before ?? []);
}

function withoutInjected(pod: Pod, index: number): unknown {
  const { volumes: _volumes, containers, ...spec } = pod.spec;
  const others = containers.map((container, at) => {
    if (at !== index) return container;
    const { env: _env, volumeMounts: _mounts, ...rest } = container;
    return rest;
  });
  return { ...pod, spec: { ...spec, containers: others } };
}
