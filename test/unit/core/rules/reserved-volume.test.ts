import { describe, it } from 'vitest';
import type { DaskCluster } from '../../../../src/api/dask-cluster.ts';
import type { Volume } from '../../../../src/api/kubernetes.ts';
import { reservedVolume } from '../../../../src/core/rules/reserved-volume.ts';
import { aCluster, withPodSpec } from '../../../support/builders.ts';
import { expectFinding, expectNothing } from '../../../support/verdict.ts';

const SECRET = 'dask-credentials-demo';
const credentials = (source: Omit<Volume, 'name'>): Volume => ({ name: 'dask-credentials', ...source });
const scratch: Volume = { name: 'scratch', emptyDir: {} };

describe('reserved-volume', () => {
  it.each<[string, Volume]>([
    ['volumes of other names', scratch],
    [
      "a volume of another name from the cluster's own Secret",
      { name: 'own', secret: { secretName: SECRET } },
    ],
    ['what daskwarden would add', credentials({ secret: { secretName: SECRET } })],
    ['the same with a mode', credentials({ secret: { secretName: SECRET, defaultMode: 0o400 } })],
    [
      'the same with its zero values',
      credentials({ secret: { secretName: SECRET, items: [], optional: false } }),
    ],
  ])('allows %s', (_what, volume) => {
    expectNothing(reservedVolume, withPodSpec('worker', { volumes: [volume] }));
  });

  it.each<[string, Volume]>([
    ['another kind of volume', credentials({ emptyDir: {} })],
    ['no source', credentials({})],
    ["another cluster's Secret", credentials({ secret: { secretName: 'dask-credentials-other' } })],
    ['an empty Secret', credentials({ secret: {} })],
    ['a second source', credentials({ secret: { secretName: SECRET }, emptyDir: {} })],
    [
      'some of the files',
      credentials({ secret: { secretName: SECRET, items: [{ key: 'dask.crt', path: 'c' }] } }),
    ],
    ['a Secret that may be missing', credentials({ secret: { secretName: SECRET, optional: true } })],
  ])('refuses the name for %s', (_what, volume) => {
    expectFinding(reservedVolume, withPodSpec('scheduler', { volumes: [scratch, volume] }), {
      path: 'spec.scheduler.template.spec.volumes[1].name',
      says: `added by daskwarden from the Secret '${SECRET}'; choose another name`,
    });
  });

  it('refuses it for every Secret before the name of the cluster is generated', () => {
    const named = withPodSpec('worker', { volumes: [credentials({ secret: { secretName: SECRET } })] });
    const unnamed: DaskCluster = { ...named, metadata: { generateName: 'demo-' } };
    expectFinding(reservedVolume, unnamed, {
      path: 'spec.worker.template.spec.volumes[0].name',
      says: "from the Secret 'dask-credentials-<name>'",
    });
  });

  it('allows a template without volumes', () => {
    expectNothing(reservedVolume, aCluster());
  });
});
