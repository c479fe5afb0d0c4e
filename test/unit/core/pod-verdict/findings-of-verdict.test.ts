import { describe, expect, it } from 'vitest';
import type { DaskCluster } from '../../../../src/api/dask-cluster.ts';
import { format } from '../../../../src/core/findings.ts';
import { DEFAULT_SETTINGS } from '../../../../src/core/plan/observed.ts';
import { findingsOfRefusal } from '../../../../src/core/pod-verdict/findings-of-refusal.ts';
import { findingsOfVerdict } from '../../../../src/core/pod-verdict/findings-of-verdict.ts';
import type { JudgedPod } from '../../../../src/core/pod-verdict/judged-pod.ts';
import { KnownFields } from '../../../../src/core/pod-verdict/known-fields.ts';
import { podsOf } from '../../../../src/core/pod-verdict/pods-of.ts';
import type { PodVerdict } from '../../../../src/core/pod-verdict/verdict.ts';
import { DEFAULT_GATEWAY_SETTINGS } from '../../../../src/core/render/gateway/settings.ts';
import { aCluster, IMAGE, withDaskContainer, withPodSpec } from '../../../support/builders.ts';

const SETTINGS = { installation: DEFAULT_SETTINGS.installation, gateway: DEFAULT_GATEWAY_SETTINGS };

function workerOf(cluster: DaskCluster): JudgedPod {
  return podsOf(cluster, SETTINGS).find(({ role }) => role === 'worker')!;
}

const known = KnownFields.of({
  components: {
    schemas: {
      'io.k8s.api.core.v1.Pod': {
        properties: { spec: { allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.PodSpec' }] } },
      },
      'io.k8s.api.core.v1.PodSpec': {
        properties: {
          containers: { items: { allOf: [{ $ref: '#/components/schemas/Container' }] } },
          nodeSelector: { additionalProperties: { type: 'string' } },
        },
      },
      Container: { properties: { newField: { type: 'string' } } },
    },
  },
});

const TELLING = { podSecurity: 'restricted', kubernetes: '1.36.3' } as const;

function lines(cluster: DaskCluster, verdict: PodVerdict, telling = {}): readonly string[] {
  return findingsOfVerdict(workerOf(cluster), verdict, { ...TELLING, ...telling }).map(
    (finding) => `${finding.level} ${finding.rule} ${format(finding)}`,
  );
}

const CLUSTER = aCluster();
const AT = 'spec.worker.template';

describe('findingsOfVerdict', () => {
  it('has nothing to say where Kubernetes has nothing', () => {
    expect(lines(CLUSTER, {})).toEqual([]);
  });

  it('keeps the words and moves the path', () => {
    const fault = {
      field: 'spec.containers[0].image',
      reason: 'FieldValueRequired',
      message: 'Required value',
    };
    const [finding] = findingsOfVerdict(workerOf(CLUSTER), { errors: [fault] }, TELLING);
    expect(finding).toMatchObject({ level: 'error', rule: 'pod-validation', reason: 'FieldValueRequired' });
    expect(format(finding!)).toBe(`${AT}.spec.containers[0].image: Required value`);
  });

  it('takes a reason that a cause cannot have for an invalid value', () => {
    const fault = { field: 'spec.hostname', reason: 'FieldValueTooLong', message: 'Too long' };
    expect(findingsOfVerdict(workerOf(CLUSTER), { errors: [fault] }, TELLING)[0]?.reason).toBe(
      'FieldValueInvalid',
    );
  });

  it('tells two faults at one place apart, and counts what is not listed', () => {
    const errors = ['one', 'two'].map((message) => ({
      field: 'spec.x',
      reason: 'FieldValueInvalid',
      message,
    }));
    const findings = findingsOfVerdict(workerOf(CLUSTER), { errors, more: 7 }, TELLING);
    expect(new Set(findings.map(({ value }) => JSON.stringify(value))).size).toBe(3);
    expect(format(findings[2]!)).toBe(`${AT}: 7 more findings are not listed`);
  });

  it('refuses what is no pod at all', () => {
    expect(lines(CLUSTER, { decode: 'cannot unmarshal' })).toEqual([
      `error pod-validation ${AT}: Invalid value: cannot unmarshal`,
    ]);
  });

  it('cuts the words of Kubernetes where they repeat a long value', () => {
    const errors = [{ field: 'spec.x', reason: 'FieldValueInvalid', message: 'x'.repeat(100_000) }];
    expect(lines(CLUSTER, { errors })[0]?.length).toBeLessThan(1_100);
  });

  it('refuses unknown and duplicate fields, but warns of those that the API server knows', () => {
    const strict = [
      'unknown field "spec.containers[0].newField"',
      'unknown field "spec.containers[0].foo"',
      'duplicate field "spec.containers[0].newField"',
    ];
    const place = `${AT}.spec.containers[0]`;
    expect(lines(CLUSTER, { strict }, { known })).toEqual([
      `warning unknown-field ${place}.newField: known to the API server, but newer than Kubernetes 1.36.3: it is not checked`,
      `error unknown-field ${place}.foo: Invalid value: unknown field of a pod`,
      `error unknown-field ${place}.newField: Invalid value: duplicate field of a pod`,
    ]);
    expect(lines(CLUSTER, { strict: strict.slice(0, 1) })).toEqual([
      `error unknown-field ${place}.newField: Invalid value: unknown field of a pod`,
    ]);
  });

  it('finds the place of a warning, where it names one', () => {
    const warnings = ['spec.containers[0].env[1]: hides "A": twice', 'something general'];
    const env = ['1', '2'].map((value) => ({ name: 'A', value }));
    expect(lines(withDaskContainer('worker', { env }), { warnings })).toEqual([
      `warning pod-warning ${AT}.spec.containers[0].env[1]: hides "A": twice`,
      `warning pod-warning ${AT}: something general`,
    ]);
  });

  it('says of a label whether the user, the cluster or the container has the name', () => {
    const cluster = aCluster({
      name: 'Bad name',
      spec: {
        worker: {
          template: {
            metadata: { labels: { team: 'no good' } },
            spec: { containers: [{ name: 'not one', image: IMAGE }] },
          },
        },
      },
    });
    const errors = ['no good', 'Bad name', 'not one'].map((value) => ({
      field: 'metadata.labels',
      reason: 'FieldValueInvalid',
      message: `Invalid value: "${value}": a valid label must`,
    }));
    expect(lines(cluster, { errors }).map((line) => line.split(' ')[2])).toEqual([
      `${AT}.metadata.labels:`,
      'metadata.name:',
      `${AT}.spec.containers[0].name:`,
    ]);
  });
});

describe('pod security', () => {
  const cluster = withPodSpec('worker', {
    containers: [
      { name: 'dask-worker', image: IMAGE },
      { name: 'b', image: IMAGE },
    ],
    initContainers: [{ name: 'i', image: IMAGE }],
    volumes: [{ name: 'h', hostPath: { path: '/' } }],
  });

  it.each([
    ['host namespaces', 'hostNetwork=true, hostPID=true', ['hostNetwork', 'hostPID']],
    ['x', 'containers "dask-worker", "i" must set', ['containers[0]', 'initContainers[0]']],
    ['hostPath volumes', 'volume "h"', ['volumes[0]']],
    ['x', 'pod or container "b" must set securityContext.runAsNonRoot=true', ['securityContext']],
    ['x', 'pod and container "b" must not set', ['securityContext']],
  ])('%s (%s)', (reason, message, places) => {
    expect(lines(cluster, { podSecurity: [{ reason, message }] })).toEqual(
      places.map(
        (place) =>
          `error pod-security ${AT}.spec.${place}: Forbidden: violates PodSecurity "restricted": ${reason} (${message})`,
      ),
    );
  });

  it('names the spec where the text names nothing', () => {
    expect(lines(cluster, { podSecurity: [{ reason: 'forbidden sysctls', message: '' }] })).toEqual([
      `error pod-security ${AT}.spec: Forbidden: violates PodSecurity "restricted": forbidden sysctls`,
    ]);
  });
});

describe('KnownFields', () => {
  it.each([
    [['spec', 'containers', '0', 'newField'], true],
    [['spec', 'nodeSelector', 'any/key'], true],
    [['spec', 'containers', '0', 'other'], false],
    [['spec', 'containers', '0', 'newField', 'deeper'], false],
    [['status'], false],
  ])('%s: %s', (segments, has) => {
    expect(known.has(segments)).toBe(has);
  });

  it('refuses a document that says nothing of pods', () => {
    for (const document of [undefined, {}, { components: { schemas: {} } }]) {
      expect(() => KnownFields.of(document)).toThrow('no schema io.k8s.api.core.v1.Pod');
    }
  });
});

describe('findingsOfRefusal', () => {
  it('moves the causes of the API server', () => {
    const causes = [
      { field: 'spec.containers[0].name', reason: 'FieldValueInvalid', message: 'Invalid value: "X"' },
    ];
    expect(findingsOfRefusal(workerOf(CLUSTER), { details: { causes } }).map(format)).toEqual([
      `${AT}.spec.containers[0].name: Invalid value: "X"`,
    ]);
  });

  it('puts a message without causes at the template', () => {
    const message = 'exceeded quota: team-a';
    expect(findingsOfRefusal(workerOf(CLUSTER), { message, reason: 'Forbidden' }).map(format)).toEqual([
      `${AT}: ${message}`,
    ]);
    expect(findingsOfRefusal(workerOf(CLUSTER), { reason: 'Forbidden' }).map(format)).toEqual([
      `${AT}: Forbidden`,
    ]);
  });
});
