import { describe, expect, it } from 'vitest';
import type { Volume } from '../../../src/api/kubernetes.ts';
import { format } from '../../../src/core/findings.ts';
import { judge } from '../../../src/core/judge.ts';
import { aCluster, withDaskContainer, withPodSpec } from '../../support/builders.ts';
import { isAtOrBelow, MANIFESTS } from '../../support/manifests.ts';

const told = (...[input]: Parameters<typeof judge>): string[] =>
  judge(input).findings.map((finding) => `${finding.level} ${format(finding)}`);

const secretOf = (secretName: string): Volume => ({ name: 'v', secret: { secretName } });

describe('judge', () => {
  it.each(MANIFESTS.filter(({ expect: verdict }) => verdict === 'allow'))('allows $file', ({ object }) => {
    const { findings, denied } = judge({ object });
    expect(findings.filter(({ rule }) => rule !== 'removed-command')).toEqual([]);
    expect(denied).toBe(false);
  });

  it.each(
    MANIFESTS.filter(
      ({ path, needsPodValidation }) => path !== undefined && needsPodValidation === undefined,
    ),
  )('denies $file at $path', ({ object, path = '' }) => {
    const { findings, denied } = judge({ object });
    expect(denied).toBe(true);
    const paths = findings.filter(({ level }) => level === 'error').map((finding) => finding.path.toString());
    expect(paths.some((at) => isAtOrBelow(at, path))).toBe(true);
  });

  it('tells what is wrong with the structure and with the product rules at once', () => {
    const { metadata, spec } = withPodSpec('worker', { restartPolicy: 'Always' });
    expect(
      told({ object: { metadata: { ...metadata, name: 'a.b' }, spec: { ...spec, active: 'yes' } } }),
    ).toEqual([
      expect.stringContaining('error spec.active: '),
      expect.stringContaining('error metadata.name: '),
      expect.stringContaining('error spec.worker.template.spec.restartPolicy: '),
    ]);
  });

  it('tells a fault once where a rule misses what the structure has thrown out', () => {
    const object = { ...aCluster(), spec: { scheduler: { template: 'text' } } };
    expect(told({ object })).toEqual([
      expect.stringContaining('error spec.scheduler.template: Invalid value: '),
    ]);
  });

  it('warns without denying', () => {
    const object = withPodSpec('scheduler', { restartPolicy: 'OnFailure' });
    expect(told({ object })).toEqual([expect.stringMatching(/^warning /)]);
    expect(judge({ object }).denied).toBe(false);
  });

  it('lets an update keep what was wrong, and nothing more', () => {
    const old = withDaskContainer('scheduler', { args: ['dask', 'scheduler', '--port', '1'] });
    const same = { ...old, spec: { ...old.spec, active: false } };
    expect(judge({ object: same, oldObject: old })).toMatchObject({ denied: false });
    expect(told({ object: same, oldObject: old })).toEqual([expect.stringMatching(/^warning .*args\[3\]/)]);
    const worse = withDaskContainer('scheduler', { args: ['dask', 'scheduler', '--port', '2'] });
    expect(judge({ object: worse, oldObject: old }).denied).toBe(true);
    expect(judge({ object: old }).denied).toBe(true);
    expect(told({ object: aCluster({ replicas: 2 }), oldObject: old })).toEqual([]);
  });

  it('keeps no rule of security from what is beside an unknown field of the same name', () => {
    const { metadata, spec } = withPodSpec('worker', { volumes: [secretOf('dask-credentials-other')] });
    const worker = { template: { ...spec.worker?.template, 'spec.volumes': {} } };
    expect(told({ object: { metadata, spec: { ...spec, worker } } })).toEqual([
      expect.stringContaining('unknown field "spec.volumes"'),
      expect.stringContaining("is another cluster's"),
    ]);
  });

  it.each([undefined, null, 'text', 7, [], {}])('denies %j', (object) => {
    expect(judge({ object })).toMatchObject({ denied: true });
    expect(judge({ object, oldObject: aCluster() }).denied).toBe(true);
  });

  it('gives the object as it would be run', () => {
    const object = withDaskContainer('worker', {});
    const written = { ...object, spec: { ...object.spec, active: null, info: 7 } };
    expect(judge({ object: written }).sound).toEqual(object);
  });
});
