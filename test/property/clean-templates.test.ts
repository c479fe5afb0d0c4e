import fc, { type Arbitrary } from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/structure/json.ts';
import { policyFromDocument } from '../../src/core/policy/from-document.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/core/policy/policy.ts';
import type { ClusterJudgeInput } from '../../webhooks/admission-context.ts';
import { Judgement } from '../../webhooks/judgement.ts';
import { aCluster } from '../support/builders.ts';

const STRICT = policyFromDocument({
  imageRegistries: ['registry.example.org/'],
  rules: { 'no-effect-yet': 'Off' },
});
if ('problems' in STRICT) throw new Error(JSON.stringify(STRICT.problems));
const POLICIES: readonly Policy[] = [DEFAULT_POLICY, STRICT];

/** Sets a field, or takes it away. */
type Edit = readonly [path: string, value: unknown];

const edit = (path: string, ...values: readonly unknown[]): Arbitrary<Edit> =>
  fc.constantFrom(...values).map((value) => [path, value] as const);

const often = (arbitrary: Arbitrary<Edit>): { arbitrary: Arbitrary<Edit>; weight: number } => ({
  arbitrary,
  weight: 6,
});

/** Of what stands around the templates. */
const around = fc.oneof(
  edit('metadata.name', 'demo', 'other', 'Demo', '', 7, undefined),
  edit('metadata.generateName', 'demo-', undefined, null),
  often(edit('metadata.namespace', 'team-a', 'team-b', undefined, {})),
  edit(
    'metadata.labels',
    undefined,
    { a: 'b' },
    { 'gateway.dask.org/cluster': 'x' },
    { '-': '-' },
    'x',
    null,
  ),
  edit('metadata.annotations', { 'daskwarden.dev/requested-by': 'ada' }, { a: 1 }),
  edit('spec.worker.replicas', 0, 3, -1, 1.5, null, undefined),
  edit('spec.worker.more', 1),
  edit('spec.worker', undefined, null, []),
  edit('spec.scheduler.template', undefined, null, 7),
  edit('spec.username', 'ada', 'grace', 7),
  edit('spec.placement', undefined, { namespaceMode: 'Shared', namespace: 'team-a' }, { namespaceMode: 'x' }),
  edit('spec.lifecycle', undefined, { activeDeadlineSeconds: 1e9 }, { activeDeadlineSeconds: '1' }),
  edit('spec.routes', undefined, 'none', 'traefik'),
  edit('spec.config', undefined, {}, { image: 'x' }),
  edit('spec.typo', undefined, 1),
  edit('status', undefined, { phase: 'Running' }),
  edit('kind', 'DaskCluster', 'Dask'),
  edit('__proto__', { metadata: {} }),
);
const CONTAINER = 'spec.worker.template.spec.containers.0';
/** Of the templates; some of them are clean. */
const within = fc.oneof(
  often(edit(`${CONTAINER}.image`, 'ghcr.io/other:1', '@', null)),
  edit(`${CONTAINER}.env`, [], [{ name: 'A', value: 'null' }], [{ name: 'A', value: null }], null),
  edit(
    `${CONTAINER}.ports`,
    [{ containerPort: 80 }],
    [{ containerPort: 0 }],
    [{ containerPort: 80, hostPort: null }],
    [{ containerPort: 80, hostPort: Infinity }],
  ),
  often(
    edit('spec.worker.template.metadata', { namespace: 'team-a' }, { namespace: 'team-b' }, { labels: {} }),
  ),
  edit('spec.worker.template.spec.hostNetwork', true, undefined),
  edit('spec.scheduler.template.spec.typo', 1, undefined),
);

function edited(object: JsonObject, edits: readonly Edit[]): JsonObject {
  const copy = structuredClone(object) as Record<string, unknown>;
  for (const [path, value] of edits) {
    const fields = path.split('.');
    const last = fields.pop() ?? '';
    let parent: unknown = copy;
    for (const field of fields) parent = (parent as Record<string, unknown> | undefined)?.[field];
    if (typeof parent !== 'object' || parent === null) continue;
    Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true });
    if (value === undefined) Reflect.deleteProperty(parent, last);
  }
  return copy;
}

/** Kubernetes has nothing to say of any pod. */
function aJudgement(hits: { count: number } = { count: 0 }): Judgement {
  return new Judgement({
    podcheck: { check: (questions) => Promise.resolve(questions.map(() => ({}))) },
    release: { kubernetes: '1.36.3', wasm: 'w' },
    cacheBytes: 64 * 1024,
    observeCache: (result) => {
      if (result === 'hit') hits.count += 1;
    },
  });
}

const hits = { count: 0 };
afterAll(() => {
  // Else nothing was tried.
  expect(hits.count).toBeGreaterThan(100);
});

/** One in three is as it was: what is clean must be met again. */
const some = (edits: Arbitrary<Edit>): Arbitrary<readonly Edit[]> =>
  fc.oneof(
    fc.constant([]),
    edits.map((each) => [each]),
    fc.array(edits, { maxLength: 2 }),
  );
const circumstances = fc.record({
  policy: fc.constantFrom(...POLICIES),
  podSecurity: fc.constantFrom('privileged' as const, 'baseline' as const),
});
const asking = fc.record({
  under: circumstances,
  rest: some(around),
  own: some(within),
  old: fc.option(fc.tuple(some(within), some(around))),
});
/** Objects that are alike, one after the other. */
const history = fc.tuple(some(within), fc.array(asking, { minLength: 2, maxLength: 6 }));

test('what is said of an object is the same, whatever was judged before it', async () => {
  const property = fc.asyncProperty(history, async ([shared, askings]) => {
    const experienced = aJudgement(hits);
    const base = edited(aCluster() as unknown as JsonObject, shared);
    for (const { under, rest, own, old } of askings) {
      const object = edited(edited(base, own), rest);
      const oldObject = old === null ? {} : { oldObject: edited(edited(base, old[0]), old[1]) };
      const asked: ClusterJudgeInput = { object, ...oldObject, ...under };
      expect(await experienced.judge(asked)).toEqual(await aJudgement().judge(asked));
    }
  });
  await fc.assert(property, { numRuns: 500 });
});
