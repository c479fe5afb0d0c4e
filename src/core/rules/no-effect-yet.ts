import type { DaskClusterSpec, Lifecycle } from '../../api/dask-cluster.ts';
import { FieldPath } from '../../api/field-path.ts';
import { warning, type Finding } from '../findings.ts';
import type { Rule, Subject } from './subject.ts';

const WITHOUT_EFFECT = [
  'startDeadlineSeconds',
  'idleTimeoutSeconds',
  'activeDeadlineSeconds',
  'ttlSecondsAfterFinished',
  'nodeLostSeconds',
] as const satisfies readonly (keyof Lifecycle)[];

/** A deadline or a place that is stored and not acted on must not be taken for one that is. */
export const noEffectYet: Rule = {
  id: 'no-effect-yet',
  check({ cluster }: Subject): readonly Finding[] {
    const { spec, metadata } = cluster;
    const { placement = {}, lifecycle = {}, routes } = spec;
    const path = FieldPath.of('spec');
    return [
      ...ofPlacement(placement, metadata.namespace),
      ...(routes && routes !== 'none' ? [finding(path.child('routes'), routes, 'no route is made')] : []),
      ...WITHOUT_EFFECT.filter((field) => lifecycle[field] !== undefined).map((field) =>
        finding(path.child('lifecycle', field), lifecycle[field], 'nothing is done at that time'),
      ),
    ];
  },
};

function ofPlacement(
  { externalCluster, namespaceMode, namespace }: NonNullable<DaskClusterSpec['placement']>,
  own: string | undefined,
): readonly Finding[] {
  const path = FieldPath.of('spec', 'placement');
  const message = 'clusters run here, in their own namespace';
  return [
    ...(externalCluster ? [finding(path.child('externalCluster'), externalCluster, message)] : []),
    ...(namespaceMode && namespaceMode !== 'Shared'
      ? [finding(path.child('namespaceMode'), namespaceMode, message)]
      : []),
    ...(namespace && namespace !== own ? [finding(path.child('namespace'), namespace, message)] : []),
  ];
}

function finding(path: FieldPath, value: unknown, message: string): Finding {
  return warning({ rule: noEffectYet.id, path, value, message: `has no effect yet: ${message}` });
}
