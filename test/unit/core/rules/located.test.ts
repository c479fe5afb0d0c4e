import { expect, it } from 'vitest';
import { FieldPath } from '../../../../src/api/field-path.ts';
import { invalid, type Finding } from '../../../../src/core/findings.ts';
import { located } from '../../../../src/core/rules/located.ts';
import { subjectOf } from '../../../../src/core/rules/subject.ts';
import { aCluster } from '../../../support/builders.ts';
import { aGatewayCluster } from '../../../support/gateway-cluster.ts';

const IN_POD = ['spec', 'containers'];

function at(path: FieldPath, value: unknown, message = 'is wrong'): Finding {
  return invalid({ rule: 'r', path, value, message });
}

it('leaves the findings of the template form as they are, also what is told twice', () => {
  const { templates } = subjectOf(aCluster());
  const finding = at(FieldPath.of('spec', 'worker', 'template', ...IN_POD), 1);
  expect(located([finding, finding], templates)).toEqual([finding, finding]);
});

it('tells once, of the first, what both pods have from one place', () => {
  const { templates } = subjectOf(aGatewayCluster());
  const imageOf = (role: 'scheduler' | 'worker'): FieldPath =>
    templates.find((view) => view.role === role)?.dask?.path.child('image') ?? FieldPath.root;
  const image = (role: 'scheduler' | 'worker', value: string): Finding => ({
    ...at(imageOf(role), 'x'),
    value,
  });
  const told = located([image('scheduler', 'first'), image('worker', 'second')], templates);
  expect(told.map(({ path, value }) => [path.toString(), value])).toEqual([['spec.config.image', 'first']]);
});

it('leaves alone what is in no pod', () => {
  const { templates } = subjectOf(aGatewayCluster());
  const finding = at(FieldPath.of('metadata', 'name'), 'X');
  expect(located([finding], templates)).toEqual([finding]);
});
