import { describe, it } from 'vitest';
import type { DaskClusterSpec } from '../../../../src/api/dask-cluster.ts';
import type { Container, PodSpec } from '../../../../src/api/kubernetes.ts';
import { daskContainer } from '../../../../src/core/rules/dask-container.ts';
import { aCluster, IMAGE, withPodSpec } from '../../../support/builders.ts';
import { expectFinding, expectNothing } from '../../../support/verdict.ts';

const container = (name: string): Container => ({ name, image: IMAGE });
const template = { spec: { containers: [container('dask')] } };

describe('dask-container', () => {
  it.each<[string, readonly string[]]>([
    ['the one named after its role', ['dask-worker']],
    ['an only one of any name', ['main']],
    ["an only one named after the other's role", ['dask-scheduler']],
    ['the named one after its sidecars', ['log-shipper', 'proxy', 'dask-worker']],
  ])('allows %s', (_what, names) => {
    expectNothing(daskContainer, withPodSpec('worker', { containers: names.map(container) }));
  });

  it('does not count init containers', () => {
    const spec: PodSpec = { containers: [container('main')], initContainers: [container('dask-worker')] };
    expectNothing(daskContainer, withPodSpec('worker', spec));
  });

  it.each<['scheduler' | 'worker', readonly string[], string]>([
    ['worker', [], 'at least one container'],
    ['worker', ['main', 'proxy'], "name the container that runs Dask 'dask-worker'"],
    ['scheduler', ['main', 'proxy'], "name the container that runs Dask 'dask-scheduler'"],
    ['scheduler', ['dask-worker', 'proxy'], "name the container that runs Dask 'dask-scheduler'"],
  ])('asks which one it is in a %s of %j', (role, names, says) => {
    const path = `spec.${role}.template.spec.containers`;
    expectFinding(daskContainer, withPodSpec(role, { containers: names.map(container) }), { path, says });
  });

  it.each<[string, Partial<DaskClusterSpec>, string]>([
    ['a scheduler without a template', { scheduler: {} }, 'spec.scheduler.template'],
    ['workers without a template', { worker: { replicas: 2 } }, 'spec.worker.template'],
    ['a template without a pod', { worker: { template: {} } }, 'spec.worker.template.spec.containers'],
  ])('refuses %s', (_what, spec, path) => {
    expectFinding(daskContainer, aCluster({ spec }), { path, says: 'Required value: ' });
  });

  it('allows a cluster without workers', () => {
    const { metadata } = aCluster();
    expectNothing(daskContainer, { metadata, spec: { scheduler: { template } } });
  });

  it('says nothing of the gateway form, nor where the form is not clear', () => {
    const { metadata } = aCluster();
    expectNothing(daskContainer, { metadata, spec: { config: {} } });
    expectNothing(daskContainer, { metadata, spec: {} });
    expectNothing(daskContainer, { metadata, spec: { config: {}, scheduler: {} } });
  });
});
