import { describe, expect, it } from 'vitest';
import type { PodSpec, Volume } from '../../../../src/api/kubernetes.ts';
import { foreignCredentials } from '../../../../src/core/rules/foreign-credentials.ts';
import { subjectOf } from '../../../../src/core/rules/subject.ts';
import { aCluster, IMAGE, withPodSpec } from '../../../support/builders.ts';
import { expectFinding, expectNothing } from '../../../support/verdict.ts';

const FOREIGN = 'dask-credentials-other';
const OWN = 'dask-credentials-demo';

/** Every place of a pod that names a Secret, with its path below the pod's spec. */
function places(name: string): readonly [string, Partial<PodSpec>][] {
  const secretRef = { name };
  const volumes: [string, Omit<Volume, 'name'>][] = [
    ['secret.secretName', { secret: { secretName: name } }],
    [
      'projected.sources[1].secret.name',
      { projected: { sources: [{ configMap: {} }, { secret: { name } }] } },
    ],
    ['csi.nodePublishSecretRef.name', { csi: { driver: 'd', nodePublishSecretRef: { name } } }],
    ['azureFile.secretName', { azureFile: { secretName: name, shareName: 's' } }],
    ['cephfs.secretRef.name', { cephfs: { monitors: ['m'], secretRef } }],
    ['cinder.secretRef.name', { cinder: { volumeID: 'v', secretRef } }],
    ['flexVolume.secretRef.name', { flexVolume: { driver: 'd', secretRef } }],
    ['iscsi.secretRef.name', { iscsi: { iqn: 'i', lun: 0, targetPortal: 't', secretRef } }],
    ['rbd.secretRef.name', { rbd: { image: 'i', monitors: ['m'], secretRef } }],
    ['scaleIO.secretRef.name', { scaleIO: { gateway: 'g', system: 's', secretRef } }],
    ['storageos.secretRef.name', { storageos: { secretRef } }],
  ];
  const env = [{ name: 'A' }, { name: 'B', valueFrom: { secretKeyRef: { name, key: 'api-token' } } }];
  const envFrom = [{ configMapRef: { name: 'c' } }, { secretRef: { name } }];
  const dask = { name: 'dask-worker', image: IMAGE };
  return [
    ...volumes.map(([path, source]): [string, Partial<PodSpec>] => [
      `volumes[0].${path}`,
      { volumes: [{ name: 'v', ...source }] },
    ]),
    ['imagePullSecrets[1].name', { imagePullSecrets: [{ name: 'registry' }, { name }] }],
    ['containers[0].env[1].valueFrom.secretKeyRef.name', { containers: [{ ...dask, env }] }],
    ['containers[1].envFrom[1].secretRef.name', { containers: [dask, { name: 'proxy', envFrom }] }],
    ['initContainers[0].env[1].valueFrom.secretKeyRef.name', { initContainers: [{ name: 'init', env }] }],
  ];
}

describe('foreign-credentials', () => {
  it.each(places(FOREIGN))("refuses another cluster's Secret at %s", (path, spec) => {
    expectFinding(foreignCredentials, withPodSpec('worker', spec), {
      path: `spec.worker.template.spec.${path}`,
      says: `'${FOREIGN}' is another cluster's; this one's is '${OWN}'`,
    });
  });

  it.each(places(OWN))("allows the cluster's own at %s", (_path, spec) => {
    expectNothing(foreignCredentials, withPodSpec('worker', spec));
  });

  it.each(places('dask-credential'))('allows a Secret of another name at %s', (_path, spec) => {
    expectNothing(foreignCredentials, withPodSpec('worker', spec));
  });

  it("refuses the certificate of another namespace's cluster", () => {
    const spec = { volumes: [{ name: 'v', secret: { secretName: 'dask-connect-team-b.demo' } }] };
    expectFinding(foreignCredentials, withPodSpec('worker', spec), {
      path: 'spec.worker.template.spec.volumes[0].secret.secretName',
      says: "Secrets named 'dask-connect-…' let pods connect",
    });
  });

  it('sees every container, and no name where there is none', () => {
    const envFrom = [{ secretRef: { name: FOREIGN } }, { secretRef: { name: '' } }];
    expectFinding(
      foreignCredentials,
      withPodSpec('worker', { ephemeralContainers: [{ name: 'debug', envFrom }] }),
      { path: 'spec.worker.template.spec.ephemeralContainers[0].envFrom[0].secretRef.name', says: FOREIGN },
    );
  });

  it('refuses all of them before the name of the cluster is generated', () => {
    const [, spec] = places(OWN)[0] ?? [];
    const { spec: clusterSpec } = withPodSpec('scheduler', spec ?? {});
    expectFinding(
      foreignCredentials,
      { metadata: { generateName: 'demo-' }, spec: clusterSpec },
      {
        path: 'spec.scheduler.template.spec.volumes[0].secret.secretName',
        says: `'${OWN}' is another cluster's`,
      },
    );
  });

  it('tells every place at once', () => {
    const [volume, ...rest] = places(FOREIGN);
    const last = rest.at(-1);
    const cluster = withPodSpec('worker', { ...volume?.[1], ...last?.[1] });
    expect(foreignCredentials.check(subjectOf(cluster))).toHaveLength(2);
    expectNothing(foreignCredentials, aCluster());
  });
});
