import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import { format } from '../../../src/core/findings.ts';
import type { Verdict } from '../../../src/core/judge.ts';
import { KnownFields } from '../../../src/core/pod-verdict/known-fields.ts';
import type { PodVerdict } from '../../../src/core/pod-verdict/verdict.ts';
import { DEFAULT_POLICY, type Policy } from '../../../src/core/policy/policy.ts';
import type { ClusterJudgeInput } from '../../../webhooks/admission-context.ts';
import { Judgement, type JudgementOptions } from '../../../webhooks/judgement.ts';
import { NoVerdict } from '../../../webhooks/podcheck/no-verdict.ts';
import { Podcheck } from '../../../webhooks/podcheck/podcheck.ts';
import type { PodQuestion } from '../../../webhooks/podcheck/question.ts';
import type { PodJudge } from '../../../webhooks/verdict-cache.ts';
import { aCluster, IMAGE, withDaskContainer, withPodSpec } from '../../support/builders.ts';

const podcheck = new Podcheck({ timeoutMs: 20_000, longestWaitMs: 60_000 });
afterAll(() => podcheck.close());
const kubernetes = new Judgement({ podcheck });

/** Says the same of every pod, and counts. */
class Counting implements PodJudge {
  readonly asked: { readonly questions: readonly PodQuestion[]; readonly tenant: string }[] = [];
  private readonly answer: (question: PodQuestion) => PodVerdict;

  constructor(answer: (question: PodQuestion) => PodVerdict = () => ({})) {
    this.answer = answer;
  }

  async check(questions: readonly PodQuestion[], tenant: string): Promise<readonly PodVerdict[]> {
    this.asked.push({ questions, tenant });
    await Promise.resolve();
    return questions.map(this.answer);
  }
}

function counting(judge = new Counting(), options: Partial<JudgementOptions> = {}) {
  return {
    judge,
    judgement: new Judgement({ podcheck: judge, release: { kubernetes: '1.36.3', wasm: 'w' }, ...options }),
  };
}

function input(object: unknown, rest: Partial<ClusterJudgeInput> = {}): ClusterJudgeInput {
  return { object, policy: DEFAULT_POLICY, podSecurity: 'privileged', ...rest };
}

function lines({ findings }: Verdict): readonly string[] {
  return findings.map((finding) => `${finding.level} ${finding.rule} ${format(finding)}`);
}

const AT = 'spec.worker.template.spec';

/** With a fault that only Kubernetes knows: a mount without its volume. */
function withLostMount(change: Partial<DaskCluster['spec']['worker']> = {}): DaskCluster {
  const cluster = withDaskContainer('worker', { volumeMounts: [{ name: 'lost', mountPath: '/lost' }] });
  return { ...cluster, spec: { ...cluster.spec, worker: { ...cluster.spec.worker, ...change } } };
}
const LOST_MOUNT = `pod-validation ${AT}.containers[0].volumeMounts[0].name: Not found: "lost"`;

describe('what Kubernetes says', { timeout: 60_000 }, () => {
  it('has nothing to say of a good cluster', async () => {
    const verdict = await kubernetes.judge(input(aCluster({ replicas: 2 })));
    expect([verdict.denied, lines(verdict)]).toEqual([false, []]);
  });

  it('refuses what no product rule knows, beside what they say', async () => {
    const cluster = { ...withLostMount(), spec: { ...withLostMount().spec, active: 'yes' } };
    const verdict = await kubernetes.judge(input(cluster));
    expect(verdict.denied).toBe(true);
    expect(lines(verdict)).toEqual([
      expect.stringContaining('error structure spec.active: '),
      `error ${LOST_MOUNT}`,
    ]);
  });

  it('does not say twice what a product rule says', async () => {
    const resources = { requests: { cpu: '2' }, limits: { cpu: '1' } };
    const verdict = await kubernetes.judge(input(withDaskContainer('worker', { resources })));
    expect(verdict.findings.map(({ rule }) => rule)).toEqual(['request-over-limit']);
  });

  it('says it where the rule is configured not to', async () => {
    const resources = { requests: { cpu: '2' }, limits: { cpu: '1' } };
    const policy: Policy = { ...DEFAULT_POLICY, rules: { 'request-over-limit': 'Off' } };
    const verdict = await kubernetes.judge(input(withDaskContainer('worker', { resources }), { policy }));
    expect(verdict.findings.map(({ rule }) => rule)).toContain('pod-validation');
  });

  it('says nothing of what daskwarden injects', async () => {
    const cluster = withPodSpec('worker', { containers: [{ name: 'Bad_Name', image: IMAGE }] });
    const verdict = await kubernetes.judge(input(cluster));
    expect(new Set(verdict.findings.map(({ path }) => path.toString()))).toEqual(
      new Set([`${AT}.containers[0].name`]),
    );
  });

  it('judges pod security by the stricter of namespace and configuration', async () => {
    const cluster = withPodSpec('worker', { hostNetwork: true });
    const ports = expect.stringContaining(
      'Forbidden: violates PodSecurity "baseline": host namespaces',
    ) as string;
    const strict: Policy = { ...DEFAULT_POLICY, podSecurity: 'baseline' };
    for (const judged of [input(cluster, { podSecurity: 'baseline' }), input(cluster, { policy: strict })]) {
      expect(lines(await kubernetes.judge(judged))).toEqual([ports]);
    }
    expect(lines(await kubernetes.judge(input(cluster)))).toEqual([]);
  });

  it('gives an object out of a file the same verdict', async () => {
    const cluster = withLostMount();
    const fromFile: unknown = parse(stringify(cluster));
    const other = new Judgement({ podcheck });
    expect(lines(await other.judge(input(fromFile)))).toEqual(lines(await kubernetes.judge(input(cluster))));
  });

  it('warns on an update of what was wrong before, and refuses what is wrong anew', async () => {
    const oldObject = withLostMount();
    const scaled = await kubernetes.judge(input(withLostMount({ replicas: 5 }), { oldObject }));
    expect([scaled.denied, lines(scaled)]).toEqual([false, [`warning ${LOST_MOUNT}`]]);
    const [container] = oldObject.spec.worker?.template?.spec?.containers ?? [];
    const changed = withPodSpec('worker', {
      containers: [
        { name: 'b', image: IMAGE, env: [{ name: '=', value: '' }] },
        { name: 'dask-worker', image: IMAGE, ...container },
      ],
    });
    expect(lines(await kubernetes.judge(input(changed, { oldObject })))).toEqual([
      expect.stringMatching(/^error pod-validation .*containers\[0\]\.env\[0\]\.name: /u),
      `warning ${LOST_MOUNT.replace('containers[0]', 'containers[1]')}`,
    ]);
  });
});

describe('what is asked', () => {
  it('asks once for both pods, for the namespace as tenant', async () => {
    const { judge, judgement } = counting();
    await judgement.judge(input(aCluster(), { podSecurity: 'restricted' }));
    expect(judge.asked).toHaveLength(1);
    expect(judge.asked[0]?.tenant).toBe('team-a');
    expect(judge.asked[0]?.questions.map(({ level }) => level)).toEqual(['restricted', 'restricted']);
  });

  it('asks nothing for a change of replicas, nor for the call after the mutating one', async () => {
    const results: string[] = [];
    const { judge, judgement } = counting(undefined, { observeCache: (result) => void results.push(result) });
    const { uid: _uid, ...metadata } = aCluster().metadata;
    await judgement.judge(input({ ...aCluster({ replicas: 1 }), metadata }));
    await judgement.judge(input(aCluster({ replicas: 1 })));
    await judgement.judge(input(aCluster({ replicas: 9 }), { oldObject: aCluster({ replicas: 1 }) }));
    expect(judge.asked).toHaveLength(1);
    expect(results).toEqual(['miss', 'hit', 'hit']);
  });

  it('asks once where equal calls come together', async () => {
    const results: string[] = [];
    const { judge, judgement } = counting(undefined, { observeCache: (result) => void results.push(result) });
    await Promise.all([1, 2, 3].map((replicas) => judgement.judge(input(aCluster({ replicas })))));
    expect(judge.asked).toHaveLength(1);
    expect(results).toEqual(['miss', 'shared', 'shared']);
  });

  it.each<[string, ClusterJudgeInput]>([
    ['template', input(withDaskContainer('worker', { image: 'other' }))],
    ['name', input(aCluster({ name: 'other' }))],
    ['level', input(aCluster(), { podSecurity: 'baseline' })],
    ['configuration', input(aCluster(), { policy: { ...DEFAULT_POLICY, imageRegistries: ['r/'] } })],
  ])('asks again for another %s', async (_, other) => {
    const { judge, judgement } = counting();
    await judgement.judge(input(aCluster()));
    await judgement.judge(other);
    expect(judge.asked).toHaveLength(2);
  });

  it('forgets the oldest verdicts where they would take too much memory', async () => {
    const { judge, judgement } = counting(undefined, { cacheBytes: 600 });
    for (const name of ['a', 'b', 'c', 'a']) await judgement.judge(input(aCluster({ name })));
    expect(judge.asked).toHaveLength(4);
  });

  it('never shows what a size rule has refused', async () => {
    const { judge, judgement } = counting();
    const containers = Array.from({ length: 60_000 }, (_, index) => ({ name: `c${index}`, image: IMAGE }));
    const verdict = await judgement.judge(input(withPodSpec('worker', { containers })));
    expect(lines(verdict)).toEqual([expect.stringContaining('error size spec.worker.template: ')]);
    const config = { image: IMAGE, worker_extra_pod_config: { containers } };
    await judgement.judge(input({ ...aCluster(), spec: { config } }));
    // The scheduler's pod of the first one, and nothing of the second.
    expect(judge.asked.map(({ questions }) => questions.map(({ pod }) => pod.length < 4_000))).toEqual([
      [true],
    ]);
  });

  it('looks at the stored object only where there is an error, with its pods as the old ones', async () => {
    const fault = { field: 'spec.x', reason: 'FieldValueInvalid', message: 'no' };
    const judge = new Counting(({ oldPod }) => (oldPod === undefined ? { errors: [fault] } : {}));
    const { judgement } = counting(judge);
    const oldObject = withDaskContainer('worker', { image: 'old' });
    const verdict = await judgement.judge(input(aCluster(), { oldObject }));
    expect(verdict.findings).toEqual([]);
    expect(judge.asked.map(({ questions }) => questions.map(({ oldPod }) => oldPod !== undefined))).toEqual([
      [false, false],
      [true, true],
      [false, false],
    ]);
  });
});

describe('no verdict', () => {
  const slow: PodJudge = {
    check: () => Promise.reject(new NoVerdict('too-slow', 'no verdict within 1000 ms')),
  };
  const judgement = new Judgement({ podcheck: slow });

  it('is a refusal with the reason', async () => {
    expect(lines(await judgement.judge(input(aCluster())))).toEqual([
      "error no-verdict spec: Kubernetes' validation of the pods gave no verdict: no verdict within 1000 ms",
    ]);
  });

  it('is a warning where the stored object has the same pods', async () => {
    const verdict = await judgement.judge(input(aCluster({ replicas: 4 }), { oldObject: aCluster() }));
    expect([verdict.denied, verdict.findings[0]?.level]).toEqual([false, 'warning']);
    const other = { oldObject: withDaskContainer('worker', { image: 'old' }) };
    expect((await judgement.judge(input(aCluster(), other))).denied).toBe(true);
  });

  it('is asked for again', async () => {
    let calls = 0;
    const check = (questions: readonly PodQuestion[]): Promise<readonly PodVerdict[]> => {
      calls += 1;
      return calls === 1
        ? Promise.reject(new NoVerdict('busy', 'later'))
        : Promise.resolve(questions.map(() => ({})));
    };
    const again = new Judgement({ podcheck: { check } });
    expect((await again.judge(input(aCluster()))).denied).toBe(true);
    expect((await again.judge(input(aCluster()))).denied).toBe(false);
  });

  it('passes on a fault that is none of podcheck', async () => {
    const broken = new Judgement({ podcheck: { check: () => Promise.reject(new TypeError('a bug')) } });
    await expect(broken.judge(input(aCluster()))).rejects.toThrow('a bug');
  });
});

describe('a field that only the API server knows', () => {
  const known = KnownFields.of({
    components: {
      schemas: {
        'io.k8s.api.core.v1.Pod': { properties: { spec: { properties: { newField: {} } } } },
      },
    },
  });
  const cluster = withPodSpec('worker', { newField: 1, other: 2 } as never);

  it('is admitted with a warning', async () => {
    const { judgement } = counting(undefined, { knownFields: () => known });
    const verdict = await judgement.judge(input(cluster));
    expect(lines(verdict)).toEqual([
      `warning unknown-field ${AT}.newField: known to the API server, but newer than Kubernetes 1.36.3: it is not checked`,
      expect.stringContaining(`error unknown-field ${AT}.other: `),
    ]);
  });

  it('is refused while the API server has not said what it knows', async () => {
    const verdict = await counting().judgement.judge(input(cluster));
    expect(verdict.findings.map(({ level }) => level)).toEqual(['error', 'error']);
  });
});
