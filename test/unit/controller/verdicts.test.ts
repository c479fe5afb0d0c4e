import { expect, test } from 'vitest';
import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy/policy.ts';
import { Verdicts } from '../../../src/controller/verdicts.ts';
import { aCluster, aRunningStatus, withPodSpec } from '../../support/builders.ts';

const DEFAULTS = { policy: () => DEFAULT_POLICY, namespaceOf: () => undefined };

const messages = (verdicts: Verdicts, cluster: DaskCluster): readonly string[] =>
  verdicts.of(cluster).errors.map(({ path }) => path.toString());

test('a sound cluster is worked on as it is, without its nulls', () => {
  const cluster = withPodSpec('worker', { nodeName: null } as never);
  const judged = new Verdicts(DEFAULTS).of(cluster);
  expect(judged.errors).toEqual([]);
  expect(judged.cluster.spec.worker?.template?.spec).not.toHaveProperty('nodeName');
});

test('only errors count, not warnings', () => {
  const verdicts = new Verdicts(DEFAULTS);
  expect(messages(verdicts, withPodSpec('worker', { restartPolicy: 'Always' }))).toEqual([
    'spec.worker.template.spec.restartPolicy',
  ]);
});

test('a spec is judged once; status and metadata are always those of today', () => {
  const verdicts = new Verdicts(DEFAULTS);
  const first = aCluster();
  const { spec } = verdicts.of(first).cluster;
  const later = aCluster({
    status: aRunningStatus(),
    metadata: { resourceVersion: '7' },
    // A change without a new generation is none that the API server made.
    spec: { active: false },
  });
  const judged = verdicts.of(later).cluster;
  expect(judged.spec).toBe(spec);
  expect(judged.status).toBe(later.status);
  expect(judged.metadata.resourceVersion).toBe('7');
});

test('a new generation is judged anew, and so is a successor of the name', () => {
  const verdicts = new Verdicts(DEFAULTS);
  const bad = withPodSpec('worker', { restartPolicy: 'Always' });
  expect(messages(verdicts, bad)).toHaveLength(1);
  expect(messages(verdicts, aCluster({ metadata: { generation: 2 } }))).toEqual([]);
  expect(messages(verdicts, aCluster({ uid: 'another' }))).toEqual([]);
  verdicts.forget('another');
  const successor = { ...bad, metadata: { ...bad.metadata, uid: 'another' } };
  expect(messages(verdicts, successor)).toHaveLength(1);
});

test('holds nothing against what it works on already, when a rule is tightened', () => {
  let policy = DEFAULT_POLICY;
  const verdicts = new Verdicts({ policy: () => policy, namespaceOf: () => undefined });
  const running = { ...aCluster(), metadata: { ...aCluster().metadata, uid: 'u', generation: 3 } };
  const accepted = { ...running, status: { observedGeneration: 3 } };
  expect(verdicts.of(accepted).errors).toEqual([]);
  policy = { ...DEFAULT_POLICY, imageRegistries: ['elsewhere.example.org/'] };
  expect(verdicts.of(accepted).errors).toEqual([]);
  const changed = { ...accepted, metadata: { ...accepted.metadata, generation: 4 } };
  expect(verdicts.of(changed).errors.map(({ rule }) => rule)).toContain('images');
});

test('takes for a warning what the namespace or the configuration says is one', () => {
  const policy = { ...DEFAULT_POLICY, imageRegistries: ['elsewhere.example.org/'] };
  const labels = { 'daskwarden.dev/enforcement': 'Warn' };
  const errorsOf = (namespace: object): number =>
    new Verdicts({
      policy: () => policy,
      namespaceOf: (name) => ({ name, labels: {}, annotations: {}, ...namespace }),
    }).of(aCluster()).errors.length;
  expect(errorsOf({})).toBeGreaterThan(0);
  expect(errorsOf({ labels })).toBe(0);
});
