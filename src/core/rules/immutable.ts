import { formOf, type DaskClusterSpec } from '../../api/dask-cluster.ts';
import { FieldPath } from '../../api/field-path.ts';
import { invalid, type Finding } from '../findings.ts';
import type { Rule, Subject } from './subject.ts';

/** What is said of a change; the CustomResourceDefinition's own rules say the same words. */
export const IMMUTABLE_TEXT = {
  form: 'the form of a cluster may not change: delete it and create it anew',
  placement: 'may not change once it is set: the place is chosen once, for the whole life of the cluster',
  username: 'may not change once it is set: it says whose cluster this is',
} as const;

/** What a cluster is, whose it is and where it runs is decided once. */
export const immutable: Rule = {
  id: 'immutable',
  check({ cluster, oldCluster }: Subject): readonly Finding[] {
    if (oldCluster === undefined) return [];
    const { spec } = cluster;
    const { spec: old } = oldCluster;
    return [
      ...ofForm(spec, old),
      ...(old.placement !== undefined && !isSamePlace(spec.placement, old.placement)
        ? [changed('placement', spec.placement)]
        : []),
      ...(old.username !== undefined && spec.username !== old.username
        ? [changed('username', spec.username)]
        : []),
    ];
  },
};

function ofForm(spec: DaskClusterSpec, old: DaskClusterSpec): readonly Finding[] {
  // An object with both forms, or none, may be mended into either; and one with no form is told so by another rule.
  if (formOf(old) === undefined || (old.config === undefined) === (spec.config === undefined)) return [];
  return [
    {
      rule: immutable.id,
      level: 'error',
      reason: 'FieldValueInvalid',
      path: FieldPath.of('spec'),
      value: spec,
      message: `Invalid value: ${IMMUTABLE_TEXT.form}`,
    },
  ];
}

type Placement = DaskClusterSpec['placement'];

function isSamePlace(place: Placement, old: NonNullable<Placement>): boolean {
  return (
    place !== undefined &&
    place.externalCluster === old.externalCluster &&
    place.namespaceMode === old.namespaceMode &&
    place.namespace === old.namespace
  );
}

function changed(field: 'placement' | 'username', value: unknown): Finding {
  return invalid({
    rule: immutable.id,
    path: FieldPath.of('spec', field),
    value,
    message: IMMUTABLE_TEXT[field],
  });
}
