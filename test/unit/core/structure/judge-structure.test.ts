import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/core/findings.ts';
import { format } from '../../../../src/core/findings.ts';
import { judgeStructure } from '../../../../src/core/structure/judge-structure.ts';
import { isAtOrBelow, MANIFESTS } from '../../../support/manifests.ts';

const metadata = { name: 'demo', namespace: 'team-a' };
const container = { name: 'dask-scheduler', image: 'example.org/dask:1' };

function cluster(spec: object): object {
  return { apiVersion: 'gateway.dask.org/v1alpha1', kind: 'DaskCluster', metadata, spec };
}

function withPod(spec: object, template: object = {}): object {
  return cluster({ scheduler: { template: { ...template, spec: { containers: [container], ...spec } } } });
}

function withContainer(fields: object): object {
  return withPod({ containers: [{ ...container, ...fields }] });
}

function told(object: unknown): string[] {
  return judgeStructure(object).findings.map(format);
}

/** What is left of the scheduler's pod. */
function soundPod(object: unknown): unknown {
  return judgeStructure(object).sound.spec.scheduler?.template?.spec;
}

describe('types', () => {
  it.each<[string, object, string]>([
    [
      'text for a boolean',
      cluster({ scheduler: { template: {} }, active: 'false' }),
      'spec.active: Invalid value: "string": must be of type boolean: write true or false without quotes',
    ],
    [
      'a number for text, without showing it',
      withContainer({ env: [{ name: 'PASSWORD', value: 4711 }] }),
      'spec.scheduler.template.spec.containers[0].env[0].value: Invalid value: "integer": must be of type string: put the value in quotes',
    ],
    [
      'a map for the list of variables, without showing it',
      withContainer({ env: { PASSWORD: 'secret' } }),
      'spec.scheduler.template.spec.containers[0].env: Invalid value: "object": must be of type array: write a list of {name, value} entries',
    ],
    [
      'one line for the list of arguments',
      withContainer({ args: 'dask scheduler' }),
      'spec.scheduler.template.spec.containers[0].args: Invalid value: "string": must be of type array: write a list of strings, one for each argument',
    ],
    [
      'a template as text',
      cluster({ scheduler: { template: '{"spec":{}}' } }),
      'spec.scheduler.template: Invalid value: "string": must be of type object: write the pod template as an object, not as a string',
    ],
    [
      'half a replica',
      cluster({ scheduler: { template: {} }, worker: { template: {}, replicas: 1.5 } }),
      'spec.worker.replicas: Invalid value: "number": must be of type integer: write a whole number',
    ],
    [
      'an object for a quantity',
      withContainer({ resources: { limits: { cpu: { cores: 1 } } } }),
      'spec.scheduler.template.spec.containers[0].resources.limits[cpu]: Invalid value: "object": must be a quantity: a number, or text such as "500m" or "2Gi"',
    ],
    [
      'a fraction for a port by number or name',
      withContainer({ readinessProbe: { tcpSocket: { port: 8786.5 } } }),
      'spec.scheduler.template.spec.containers[0].readinessProbe.tcpSocket.port: Invalid value: "number": must be of type integer or string',
    ],
    [
      'a number in a map of texts',
      withPod({ nodeSelector: { 'example.org/zone': 1 } }),
      'spec.scheduler.template.spec.nodeSelector[example.org/zone]: Invalid value: "integer": must be of type string: put the value in quotes',
    ],
    [
      'text for a number of the gateway form',
      cluster({ config: { worker_memory: '2G' } }),
      'spec.config.worker_memory: Invalid value: "string": must be of type integer: write a number',
    ],
    [
      'fewer than no workers',
      cluster({ config: {}, replicas: -1 }),
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'more than 32 bits',
      withContainer({ ports: [{ containerPort: 2 ** 31 }] }),
      'spec.scheduler.template.spec.containers[0].ports[0].containerPort: Invalid value: 2147483648: must be less than or equal to 2147483647',
    ],
    [
      'no known word',
      cluster({ config: {}, routes: 'nginx' }),
      'spec.routes: Unsupported value: supported values: "traefik", "gateway-api", "none"',
    ],
    [
      'no text where only some are known',
      cluster({ config: {}, routes: 7 }),
      'spec.routes: Invalid value: "integer": must be of type string: put the value in quotes',
    ],
    [
      'a container without a name',
      withPod({ containers: [{ image: 'example.org/dask:1' }] }),
      'spec.scheduler.template.spec.containers[0].name: Required value: every entry must have a name of its own',
    ],
    [
      'no name at all',
      { ...cluster({ config: {} }), metadata: { labels: {} } },
      'metadata.name: Required value: name or generateName is required',
    ],
  ])('%s', (_, object, message) => {
    expect(told(object)).toEqual([message]);
  });

  it.each([
    ['a fraction as a quantity', withContainer({ resources: { limits: { cpu: 0.5, memory: '2Gi' } } })],
    ['a whole number as a quantity', withPod({ overhead: { cpu: 1 } })],
    ['a port by its name', withContainer({ readinessProbe: { tcpSocket: { port: 'scheduler' } } })],
    ['free keys below options', cluster({ config: {}, options: { any: { thing: [1, null] } } })],
    ['a generated name', { ...cluster({ config: {} }), metadata: { generateName: 'demo-' } }],
    ['what a Deployment is printed with', withPod({}, { metadata: { creationTimestamp: null } })],
  ])('%s is right', (_, object) => {
    expect(told(object)).toEqual([]);
  });

  it('names a list item by its name, so that two versions can be compared', () => {
    const { findings } = judgeStructure(withContainer({ tty: 'yes' }));
    expect(findings.map(({ path }) => path.identity())).toEqual([
      'spec.scheduler.template.spec.containers[name="dask-scheduler"].tty',
    ]);
  });
});

describe('unknown fields', () => {
  it.each<[string, object, string]>([
    [
      'with the nearest known name',
      withContainer({ resources: { limit: { cpu: 1 } } }),
      'spec.scheduler.template.spec.containers[0].resources.limit: unknown field "limit": did you mean "limits"?',
    ],
    [
      'in another spelling',
      withPod({ restart_policy: 'Never' }),
      'spec.scheduler.template.spec.restart_policy: unknown field "restart_policy": did you mean "restartPolicy"?',
    ],
    [
      'with all possible names where they are few',
      withContainer({ env: [{ name: 'A', fromSecret: 'x' }] }),
      'spec.scheduler.template.spec.containers[0].env[0].fromSecret: unknown field "fromSecret": possible here: name, value, valueFrom',
    ],
    [
      'without help where they are many',
      withPod({ zzzzzzzz: 1 }),
      'spec.scheduler.template.spec.zzzzzzzz: unknown field "zzzzzzzz"',
    ],
    [
      'that is null',
      withPod({ zzzzzzzz: null }),
      'spec.scheduler.template.spec.zzzzzzzz: unknown field "zzzzzzzz"',
    ],
    [
      'at the root',
      { ...cluster({ config: {} }), sepc: {} },
      'sepc: unknown field "sepc": did you mean "spec"?',
    ],
  ])('%s', (_, object, message) => {
    expect(told(object)).toEqual([message]);
  });

  it('only warn in what dask-gateway writes', () => {
    const { findings } = judgeStructure(cluster({ config: { worker_core: 1 } }));
    expect(findings.map(({ level, rule }) => [level, rule])).toEqual([['warning', 'unknown-field']]);
    expect(findings.map(format)).toEqual([
      'spec.config.worker_core: unknown field "worker_core": did you mean "worker_cores"?',
    ]);
  });

  it('are cut in messages and paths', () => {
    const [message] = told(withPod({ ['x'.repeat(100_000)]: 1 }));
    expect(message?.length).toBeLessThan(700);
  });
});

describe('the form', () => {
  const oneOf =
    /^spec: Invalid value: exactly one of `scheduler` \(template form.*\) and `config` \(gateway form/;

  it.each([
    ['neither', cluster({})],
    ['both', cluster({ config: {}, scheduler: { template: {} } })],
    ['one that is null', cluster({ config: null })],
  ])('%s', (_, object) => {
    expect(told(object)).toEqual([expect.stringMatching(oneOf)]);
  });

  it('says who scales a cluster of the gateway form', () => {
    expect(told(cluster({ config: {}, worker: { replicas: 2 } }))).toEqual([
      expect.stringMatching(/^spec\.worker: Forbidden: .* is scaled by dask-gateway/),
    ]);
  });

  it('says where the number of workers of the template form stands', () => {
    expect(told(cluster({ scheduler: { template: {} }, replicas: 2 }))).toEqual([
      expect.stringMatching(/^spec\.replicas: Forbidden: .* is `spec\.worker\.replicas`$/),
    ]);
  });

  it('asks for what the workers are made of', () => {
    expect(told(cluster({ scheduler: { template: {} }, worker: { replicas: 2 } }))).toEqual([
      expect.stringMatching(/^spec\.worker\.template: Required value: /),
    ]);
  });

  it('is not doubted where the part that makes it is unsound', () => {
    expect(told(cluster({ scheduler: 'text' }))).toEqual([
      'spec.scheduler: Invalid value: "string": must be of type object: write an object with its fields, not a string',
    ]);
  });
});

describe('nulls', () => {
  it('mean "not set" in fields', () => {
    const object = withPod({ tolerations: null, volumes: [{ name: 'tmp', emptyDir: {}, secret: null }] });
    expect(told(object)).toEqual([]);
    expect(soundPod(object)).toEqual({ containers: [container], volumes: [{ name: 'tmp', emptyDir: {} }] });
  });

  it('are the zero value in maps and lists, as for the Pod API', () => {
    const object = withPod({
      containers: [{ ...container, args: ['a', null], resources: { limits: { cpu: null } } }],
      nodeSelector: { zone: null },
      imagePullSecrets: [null],
      securityContext: { supplementalGroups: [1, null] },
    });
    expect(told(object)).toEqual([]);
    expect(soundPod(object)).toEqual({
      containers: [{ ...container, args: ['a', ''], resources: { limits: { cpu: '0' } } }],
      nodeSelector: { zone: '' },
      imagePullSecrets: [{}],
      securityContext: { supplementalGroups: [1, 0] },
    });
  });

  it('are no name', () => {
    expect(told(withPod({ containers: [{ ...container, name: null }, null] }))).toEqual([
      'spec.scheduler.template.spec.containers[0].name: Required value: every entry must have a name of its own',
      'spec.scheduler.template.spec.containers[1].name: Required value: every entry must have a name of its own',
    ]);
  });

  it('stay in what nobody knows the types of', () => {
    const spec = { options: { a: null }, config: { cluster_max_workers: null, environment: { A: null } } };
    const { findings, sound } = judgeStructure(cluster(spec));
    expect(findings).toEqual([]);
    expect(sound.spec).toEqual(spec);
  });
});

describe('the sound part', () => {
  it('is the object itself where nothing is wrong', () => {
    const object = withPod({});
    expect(judgeStructure(object).sound).toBe(object);
  });

  it('leaves out what is wrong, keeps the places of list items, and leaves the original alone', () => {
    const object = cluster({
      active: 'yes',
      scheduler: {
        template: {
          spec: {
            containers: [
              'text',
              { ...container, env: [{ name: 'A', value: 1 }, 'B=1'], args: ['a', 2], stdn: true },
            ],
            volumes: {},
            tolerations: [{ key: 'a' }],
          },
        },
      },
    });
    const before = structuredClone(object);
    const { findings, sound } = judgeStructure(object);
    expect(sound.spec).toEqual({
      scheduler: {
        template: {
          spec: {
            containers: [{}, { ...container, env: [{ name: 'A' }, {}], args: ['a', ''] }],
            tolerations: [{ key: 'a' }],
          },
        },
      },
    });
    expect(findings).toHaveLength(7);
    expect(object).toEqual(before);
  });

  it('says nothing of a status, and leaves its unsound parts out', () => {
    const status = { phase: 7, service: 'dask-demo', conditions: [null], unheardOf: 1 };
    const { findings, sound } = judgeStructure({ ...withPod({}), status });
    expect(findings).toEqual([]);
    expect(sound.status).toEqual({ service: 'dask-demo', conditions: [{}] });
  });

  it.each([{ object: undefined }, { object: null }, { object: 7 }, { object: 'text' }, { object: [{}] }])(
    'of $object is an empty cluster',
    ({ object }) => {
      const { findings, sound } = judgeStructure(object);
      expect(findings.map(({ reason }) => reason)).toEqual(['FieldValueTypeInvalid']);
      expect(sound).toEqual({ metadata: {}, spec: {} });
    },
  );

  it.each([{}, { metadata: null, spec: null }, { metadata: 1, spec: 'text' }])(
    'of %j has metadata and a spec',
    (object) => {
      const { findings, sound } = judgeStructure(object);
      expect(findings.map(({ path }) => path.toString())).toContain('spec');
      expect(sound).toEqual({ metadata: {}, spec: {} });
    },
  );
});

it.each(MANIFESTS)('$file', ({ object, expect: verdict, path = '' }) => {
  const { findings } = judgeStructure(object);
  if (verdict === 'allow') expect(findings).toEqual([]);
  // A denial for another reason is for the rules and for Kubernetes to give.
  else expect(findings.filter((finding: Finding) => !isAtOrBelow(finding.path.toString(), path))).toEqual([]);
});
