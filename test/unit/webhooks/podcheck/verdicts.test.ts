import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { packagePath } from '../../../../src/platform/package-root.ts';
import type { PodVerdict } from '../../../../src/core/pod-verdict/verdict.ts';
import { Podcheck } from '../../../../webhooks/podcheck/podcheck.ts';
import type { PodQuestion } from '../../../../webhooks/podcheck/question.ts';
import { podcheckRelease } from '../../../../webhooks/podcheck/release.ts';

const podcheck = new Podcheck({ timeoutMs: 20_000, longestWaitMs: 60_000 });
afterAll(() => podcheck.close());

async function verdictOn(pod: object, rest: Omit<PodQuestion, 'pod'> = {}): Promise<PodVerdict> {
  const [verdict] = await podcheck.check([{ pod: JSON.stringify(pod), ...rest }], 'test');
  return verdict ?? {};
}

function pod(spec: object, metadata: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'worker', namespace: 'team-a', ...metadata },
    spec: { containers: [{ name: 'dask-worker', image: 'dask' }], ...spec },
  };
}

function container(part: object): object {
  return pod({ containers: [{ name: 'dask-worker', image: 'dask', ...part }] });
}

describe('what podcheck says', { timeout: 60_000 }, () => {
  it('has nothing to say of a good pod', async () => {
    expect(await verdictOn(pod({}))).toEqual({});
  });

  it('names faults with the paths and words of the API server', async () => {
    const containers = [
      { name: 'dask-worker', image: 'dask', resources: { limits: { CPU: '1' } } },
      { name: 'dask-worker' },
    ];
    const { errors = [] } = await verdictOn(pod({ containers }));
    expect(errors).toContainEqual({
      field: 'spec.containers[1].name',
      reason: 'FieldValueDuplicate',
      message: 'Duplicate value: "dask-worker"',
    });
    expect(errors).toContainEqual({
      field: 'spec.containers[1].image',
      reason: 'FieldValueRequired',
      message: 'Required value',
    });
    expect(errors.map(({ field }) => field)).toContain('spec.containers[0].resources.limits[CPU]');
  });

  it('names unknown and duplicate fields', async () => {
    const text = JSON.stringify(pod({ tolerationz: [] })).replace(
      '"image":"dask"',
      '"image":"dask","image":"other"',
    );
    const [verdict] = await podcheck.check([{ pod: text }], 'test');
    expect(verdict).toEqual({
      strict: ['duplicate field "spec.containers[0].image"', 'unknown field "spec.tolerationz"'],
    });
  });

  it('says that a pod of wrong types is none', async () => {
    expect((await verdictOn([1])).decode).toContain('cannot unmarshal array');
  });

  it('names each value that a field cannot hold, and judges the rest', async () => {
    const { errors } = await verdictOn(
      pod({
        terminationGracePeriodSeconds: 2 ** 40 + 0.5,
        containers: [
          { name: 'Upper', image: 'dask', resources: { limits: { memory: '1x', cpu: true } } },
          {
            name: 'b',
            image: 'dask',
            ports: [{ containerPort: 2 ** 40 }],
            livenessProbe: { httpGet: { port: {} } },
          },
        ],
      }),
    );
    expect(errors?.map(({ field }) => field)).toEqual([
      'spec.containers[0].resources.limits[cpu]',
      'spec.containers[0].resources.limits[memory]',
      'spec.containers[1].ports[0].containerPort',
      'spec.containers[1].livenessProbe.httpGet.port',
      'spec.terminationGracePeriodSeconds',
      'spec.containers[0].name',
    ]);
    expect(errors?.find(({ field }) => field.endsWith('[memory]'))?.message).toContain(
      'quantities must match the regular expression',
    );
  });

  it('gives defaults as the API server does', async () => {
    const probe = { httpGet: { path: '/', port: 80 } };
    expect(await verdictOn(container({ livenessProbe: probe, ports: [{ containerPort: 80 }] }))).toEqual({});
  });

  it('knows that label keys of a spreading are merged into its selector', async () => {
    const constraint = {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      matchLabelKeys: ['app'],
      labelSelector: { matchLabels: { app: 'dask' } },
    };
    const { errors = [] } = await verdictOn(
      pod({ topologySpreadConstraints: [constraint] }, { labels: { app: 'dask' } }),
    );
    expect(errors.map(({ message }) => message)).toEqual([
      'Invalid value: "app": exists in both matchLabelKeys and labelSelector',
    ]);
  });

  it('tells a faulty label once, where it was written', async () => {
    const constraint = {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      matchLabelKeys: ['app', '-x'],
      labelSelector: {},
    };
    const { errors = [] } = await verdictOn(
      pod({ topologySpreadConstraints: [constraint] }, { labels: { app: 'a b', '-x': 'c' } }),
    );
    expect(errors.map(({ field }) => field)).toEqual([
      'metadata.labels',
      'metadata.labels',
      'spec.topologySpreadConstraints[0].matchLabelKeys[1]',
    ]);
  });

  it('gives the warnings of the API server', async () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ];
    const { warnings } = await verdictOn(container({ env }));
    expect(warnings).toEqual([
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    ]);
    const named = await verdictOn(pod({}, { name: 'a.b' }));
    expect(named.warnings?.[0]).toMatch(/^metadata\.name: this is used in the Pod's hostname/u);
  });

  it('judges pod security', async () => {
    expect(await verdictOn(pod({ hostNetwork: true }), { level: 'baseline' })).toEqual({
      podSecurity: [{ reason: 'host namespaces', message: 'hostNetwork=true' }],
    });
    const { podSecurity } = await verdictOn(pod({}), { level: 'restricted' });
    expect(podSecurity?.map(({ reason }) => reason)).toEqual([
      'allowPrivilegeEscalation != false',
      'unrestricted capabilities',
      'runAsNonRoot != true',
      'seccompProfile',
    ]);
  });

  it('lets go on what the old pod has already', async () => {
    const invalid = {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              topologyKey: 'zone',
              labelSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b c'] }] },
            },
          ],
        },
      },
    };
    const alone = await verdictOn(pod(invalid));
    expect(alone.errors?.map(({ field }) => field)).toEqual([
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values[0]',
    ]);
    expect(await verdictOn(pod(invalid), { oldPod: JSON.stringify(pod(invalid)) })).toEqual({});
  });

  it('lists a hundred faults and counts the others', async () => {
    const containers = Array.from({ length: 150 }, (_, index) => ({ name: `c${index}` }));
    const { errors, more } = await verdictOn(pod({ containers }));
    expect([errors?.length, more]).toEqual([100, 50]);
  });

  it('answers many questions, each with its own verdict', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `Upper${index}`);
    const verdicts = await Promise.all(names.map((name) => verdictOn(pod({}, { name }))));
    expect(verdicts.map(({ errors }) => /"(Upper\d+)"/u.exec(errors?.[0]?.message ?? '')?.[1])).toEqual(
      names,
    );
  });

  it('is what its sources were built to', () => {
    const folder = packagePath('webhooks', 'podcheck');
    const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
    const { sources, wasm } = podcheckRelease();
    for (const [name, hash] of Object.entries(sources))
      expect(sha256(readFileSync(`${folder}/${name}`))).toBe(hash);
    expect(sha256(gunzipSync(readFileSync(`${folder}/podcheck.wasm.gz`)))).toBe(wasm);
  });
});
