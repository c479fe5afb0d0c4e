import { describe, expect, it } from 'vitest';
import { podSource } from '../../../../src/core/pod-verdict/pod-source.ts';
import { aCluster, IMAGE } from '../../../support/builders.ts';

const INSTANCE = 'gateway.dask.org/instance';

describe('podSource', () => {
  it('has templates, name and namespace of the template form, and nothing else', () => {
    const { scheduler, worker } = aCluster().spec;
    const cluster = aCluster({
      replicas: 7,
      metadata: { labels: { [INSTANCE]: 'i', team: 'a' }, annotations: { a: 'b' } },
      status: { phase: 'Running' },
    });
    expect(podSource(cluster)).toEqual({
      metadata: { name: 'demo', namespace: 'team-a' },
      spec: { scheduler, worker: { template: worker?.template } },
    });
  });

  it('has configuration and instance of the gateway form', () => {
    const config = { image: IMAGE };
    const metadata = { generateName: 'run-', labels: { [INSTANCE]: 'i', team: 'a' } };
    expect(podSource({ metadata, spec: { config, username: 'ada', replicas: 3 } })).toEqual({
      metadata: { generateName: 'run-', labels: { [INSTANCE]: 'i' } },
      spec: { config },
    });
    expect(podSource({ metadata: {}, spec: { config } })).toEqual({ metadata: {}, spec: { config } });
  });

  it('is nothing where there is no pod to make', () => {
    for (const spec of [{}, { scheduler: {} }, { scheduler: {}, config: {} }, { worker: { template: {} } }]) {
      expect(podSource({ metadata: { name: 'a' }, spec })).toBeUndefined();
    }
  });

  it('makes do with one template', () => {
    const template = { spec: { containers: [{ name: 'a', image: IMAGE }] } };
    expect(podSource({ metadata: {}, spec: { scheduler: {}, worker: { template } } })?.spec).toEqual({
      scheduler: {},
      worker: { template },
    });
  });
});
