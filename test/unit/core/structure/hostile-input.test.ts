import { describe, expect, it } from 'vitest';
import { format } from '../../../../src/core/findings.ts';
import { judgeStructure } from '../../../../src/core/structure/judge-structure.ts';
import { nullRemovals } from '../../../../src/core/structure/null-removals.ts';

const metadata = { name: 'demo' };

function template(spec: object): unknown {
  return { metadata, spec: { scheduler: { template: { spec } } } };
}

function told(object: unknown): string[] {
  return judgeStructure(object).findings.map(format);
}

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

/** The fastest of some runs: what the code needs, not what the machine does beside it. */
function fastestMs(run: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now();
    run();
    return performance.now() - began;
  });
  return Math.min(...times);
}

describe('limits', () => {
  const containers = (count: number): object[] =>
    Array.from({ length: count }, (_, index) => ({ name: `c${index}`, image: 'x' }));
  const variables = (count: number): object[] =>
    Array.from({ length: count }, (_, index) => ({ name: `V${index}`, value: '' }));

  it('64 containers, init containers included', () => {
    const [first, ...others] = containers(65);
    expect(told(template({ containers: others }))).toEqual([]);
    expect(told(template({ containers: others, initContainers: [first] }))).toEqual([
      'spec.scheduler.template: Invalid value: "65 containers": must have at most 64 containers',
    ]);
  });

  it('512 environment variables of all containers together', () => {
    const pod = (count: number): unknown =>
      template({
        containers: [
          { name: 'a', env: variables(256) },
          { name: 'b', env: variables(count) },
        ],
      });
    expect(told(pod(256))).toEqual([]);
    expect(told(pod(257))).toEqual([
      'spec.scheduler.template: Invalid value: "513 environment variables": must have at most 512 environment variables',
    ]);
  });

  it('256 KiB of JSON', () => {
    const pod = (length: number): unknown => template({ hostname: 'x'.repeat(length) });
    const rest = JSON.stringify({ spec: { hostname: '' } }).length;
    expect(told(pod(262_144 - rest))).toEqual([]);
    expect(told(pod(262_145 - rest))).toEqual([
      'spec.scheduler.template: Invalid value: "262145 characters of JSON": must have at most 262144 characters of JSON',
    ]);
  });

  it('64 levels', () => {
    const config = (levels: number): unknown => ({
      metadata,
      spec: { config: { worker_extra_pod_config: nested(levels) } },
    });
    expect(told(config(62))).toEqual([]);
    expect(told(config(63))).toEqual([
      'spec.config: Invalid value: "too deep": must be nested no deeper than 64 levels',
    ]);
  });

  it('of what dask-gateway writes', () => {
    const config = {
      worker_extra_pod_config: { containers: containers(65) },
      environment: Object.fromEntries(Array.from({ length: 513 }, (_, index) => [`V${index}`, ''])),
    };
    expect(told({ metadata, spec: { config } })).toEqual([
      'spec.config: Invalid value: "65 containers": must have at most 64 containers',
    ]);
    expect(told({ metadata, spec: { config: { environment: config.environment } } })).toEqual([
      'spec.config: Invalid value: "513 environment variables": must have at most 512 environment variables',
    ]);
  });

  it('leave the part out, and the form as it is', () => {
    const scheduler = { template: { spec: { containers: containers(65) } } };
    expect(judgeStructure({ metadata, spec: { scheduler } }).sound.spec).toEqual({ scheduler: {} });
    const config = { deep: nested(100) };
    expect(judgeStructure({ metadata, spec: { config } }).sound.spec).toEqual({ config: {} });
  });

  it('100 findings, those that deny first', () => {
    const config = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`unknown_${index}`, 1]));
    const { findings } = judgeStructure({ metadata, spec: { config, active: 1 } });
    expect(findings).toHaveLength(101);
    expect(findings.map(format)[0]).toMatch(/^spec\.active: Invalid value: "integer"/);
    expect(findings.map(format).at(-1)).toBe('spec: 51 more findings are not listed');
    expect(findings.map(({ level }) => level).at(-1)).toBe('warning');
  });
});

describe('speed', () => {
  it('60,000 containers are counted, not judged', () => {
    const object = template({
      containers: Array.from({ length: 60_000 }, () => ({ name: 1, image: [], env: 'text' })),
    });
    expect(told(object)).toHaveLength(1);
    expect(fastestMs(() => judgeStructure(object))).toBeLessThan(250);
  });

  it('the time grows no faster than the number of faults', () => {
    const faults = (count: number): unknown =>
      template({ volumes: Array.from({ length: count }, () => ({ a: 1 })) });
    const [few, many] = [3_000, 30_000].map(faults);
    const fewMs = fastestMs(() => judgeStructure(few));
    const manyMs = fastestMs(() => judgeStructure(many));
    // Ten times the faults; what is quadratic would take a hundred times as long.
    expect(manyMs).toBeLessThan(fewMs * 35 + 50);
  });
});

describe('shapes that no manifest has', () => {
  it.each([
    ['the whole object', nested(10_000)],
    ['metadata', { metadata: nested(10_000), spec: {} }],
    ['the spec', { metadata, spec: nested(10_000) }],
    ['a template', { metadata, spec: { scheduler: { template: nested(10_000) } } }],
    ['a scalar', { metadata, spec: { active: nested(10_000), config: {} } }],
    ['a map entry', { metadata, spec: { info: { a: nested(10_000) }, config: {} } }],
    ['the status', { metadata, spec: { config: {} }, status: nested(10_000) }],
  ])('10,000 levels in %s', (_, object) => {
    const { findings, sound } = judgeStructure(object);
    // Whoever compares findings serialises their values.
    expect(() => JSON.stringify(findings.map(({ value }) => value))).not.toThrow();
    expect(() => JSON.stringify(sound)).not.toThrow();
    expect(() => nullRemovals(object)).not.toThrow();
  });

  it("10,000 levels in the user's options are nobody's business", () => {
    expect(told({ metadata, spec: { config: {}, options: nested(10_000) } })).toEqual([]);
  });

  it('keys that JavaScript gives a meaning to', () => {
    const object = JSON.parse(`{
      "metadata": {"name": "demo", "labels": {"__proto__": 1, "constructor": null}},
      "__proto__": {"polluted": true},
      "spec": {"scheduler": {"template": {
        "constructor": {},
        "spec": {"containers": [{"name": "a", "__proto__": null}], "nodeSelector": {"__proto__": "kept"}}
      }}}
    }`) as object;
    const { findings, sound } = judgeStructure(object);
    expect(findings.map(({ rule, path }) => `${rule} ${path.toString()}`).sort()).toEqual([
      'structure metadata.labels[__proto__]',
      'unknown-field __proto__',
      'unknown-field spec.scheduler.template.constructor',
      'unknown-field spec.scheduler.template.spec.containers[0].__proto__',
    ]);
    expect(JSON.stringify(sound)).toBe(
      '{"metadata":{"name":"demo","labels":{"constructor":""}},"spec":{"scheduler":{"template":{"spec":{"containers":[{"name":"a"}],"nodeSelector":{"__proto__":"kept"}}}}}}',
    );
    expect('polluted' in {}).toBe(false);
  });

  it('half a character', () => {
    const [message] = told(template({ '\ud800abc': 1 }));
    expect(message?.isWellFormed()).toBe(true);
  });

  it('a number beyond all bounds', () => {
    const object = JSON.parse(`{"metadata": {"name": "demo"}, "spec": {"config": {"worker_cores": 1e400},
      "replicas": -1e400}}`) as object;
    expect(
      judgeStructure(object)
        .findings.map(({ path }) => path.toString())
        .sort(),
    ).toEqual(['spec.config.worker_cores', 'spec.replicas']);
  });

  it('the same object in many places', () => {
    const shared = { name: 'a', image: 1 };
    expect(told(template({ containers: [shared, shared], initContainers: [shared] }))).toHaveLength(3);
  });
});
