import { describe, it } from 'vitest';
import type { DaskCluster } from '../../../../src/api/dask-cluster.ts';
import { reservedLabels } from '../../../../src/core/rules/reserved-labels.ts';
import { aCluster, IMAGE } from '../../../support/builders.ts';
import { expectFinding, expectNothing } from '../../../support/verdict.ts';

type Labels = Readonly<Record<string, string>>;

const labelled = (labels: Labels): DaskCluster => aCluster({ metadata: { labels } });

function withPodLabels(role: 'scheduler' | 'worker', labels: Labels, name = 'demo'): DaskCluster {
  const template = { metadata: { labels }, spec: { containers: [{ name: 'dask', image: IMAGE }] } };
  return aCluster({ name, spec: { [role]: { template } } });
}

describe('reserved-labels on the DaskCluster', () => {
  it.each<Labels>([
    {},
    { 'gateway.dask.org/cluster': 'demo' },
    { 'app.kubernetes.io/component': 'analytics', team: 'a', 'daskwarden.dev/enforcement': 'Warn' },
  ])('allows %j', (labels) => {
    expectNothing(reservedLabels, labelled(labels));
  });

  it("refuses the mark of dask-gateway's API server, which would scale and stop the cluster", () => {
    expectFinding(reservedLabels, labelled({ 'gateway.dask.org/instance': 'prod' }), {
      path: 'metadata.labels[gateway.dask.org/instance]',
      says: 'remove the label',
    });
  });

  it('allows that mark in the gateway form', () => {
    const { metadata } = labelled({ 'gateway.dask.org/instance': 'prod' });
    expectNothing(reservedLabels, { metadata, spec: { config: {} } });
  });

  it("refuses another cluster's name", () => {
    expectFinding(reservedLabels, labelled({ 'gateway.dask.org/cluster': 'other' }), {
      path: 'metadata.labels[gateway.dask.org/cluster]',
      says: 'Invalid value: "other": the controller sets this label to \'demo\'',
    });
  });

  it('cannot say which cluster it is before the name is generated', () => {
    const labels = { 'gateway.dask.org/cluster': 'other' };
    expectNothing(reservedLabels, aCluster({ name: '', metadata: { generateName: 'demo-', labels } }));
  });
});

describe('reserved-labels on a template', () => {
  it.each<[string, 'scheduler' | 'worker', Labels]>([
    ['labels of its own', 'worker', { team: 'a', 'app.kubernetes.io/name': 'x', 'example.org/slot': '1' }],
    ['a scheduler read back', 'scheduler', { 'app.kubernetes.io/component': 'dask-scheduler' }],
    [
      'a worker read back',
      'worker',
      { 'gateway.dask.org/cluster': 'demo', 'app.kubernetes.io/component': 'dask-worker' },
    ],
  ])('allows %s', (_what, role, labels) => {
    expectNothing(reservedLabels, withPodLabels(role, labels));
  });

  it.each<['scheduler' | 'worker', Labels, string]>([
    ['worker', { 'gateway.dask.org/cluster': 'other' }, "sets this label to 'demo'"],
    ['worker', { 'app.kubernetes.io/component': 'dask-scheduler' }, "sets this label to 'dask-worker'"],
    ['scheduler', { 'app.kubernetes.io/component': 'analytics' }, "sets this label to 'dask-scheduler'"],
    ['worker', { 'gateway.dask.org/instance': 'prod' }, 'remove it'],
    ['worker', { 'daskwarden.dev/slot': '0' }, 'Forbidden: '],
    ['worker', { 'daskwarden.dev/container': 'proxy' }, 'remove it'],
    ['scheduler', { 'daskwarden.dev/connect': 'other' }, 'set by the controller'],
  ])('refuses a %s with %j', (role, labels, says) => {
    const path = `spec.${role}.template.metadata.labels[${Object.keys(labels).join()}]`;
    expectFinding(reservedLabels, withPodLabels(role, labels), { path, says });
  });

  it("refuses every cluster's name before the cluster's own is generated", () => {
    expectFinding(reservedLabels, withPodLabels('worker', { 'gateway.dask.org/cluster': 'demo' }, ''), {
      path: 'spec.worker.template.metadata.labels[gateway.dask.org/cluster]',
      says: 'remove it',
    });
  });
});
