import type { DaskCluster } from '../src/api/dask-cluster.ts';
import { FieldPath } from '../src/api/field-path.ts';
import type { Pod } from '../src/api/kubernetes.ts';
import { asWarning, type Finding } from '../src/core/findings.ts';
import { judge, type Verdict } from '../src/core/judge.ts';
import { DEFAULT_SETTINGS } from '../src/core/plan/observed.ts';
import { stricter } from '../src/core/identity/pod-security-level.ts';
import { findingsOfVerdict, newerField, type Telling } from '../src/core/pod-verdict/findings-of-verdict.ts';
import type { JudgedPod } from '../src/core/pod-verdict/judged-pod.ts';
import type { KnownFields } from '../src/core/pod-verdict/known-fields.ts';
import { podSource } from '../src/core/pod-verdict/pod-source.ts';
import { podsOf, type PodSettings } from '../src/core/pod-verdict/pods-of.ts';
import { notToldYet } from '../src/core/pod-verdict/told-twice.ts';
import { isSilent, type PodVerdict } from '../src/core/pod-verdict/verdict.ts';
import type { PodSecurityLevel } from '../src/core/policy/policy.ts';
import { ratchet } from '../src/core/ratchet.ts';
import { DEFAULT_GATEWAY_SETTINGS } from '../src/core/render/gateway/settings.ts';
import { skeletonOf, type Skeleton } from '../src/core/skeleton.ts';
import { judgeStructure } from '../src/core/structure/judge-structure.ts';
import { UNKNOWN_FIELD } from '../src/core/structure/structural-finding.ts';
import type { ClusterJudge, ClusterJudgeInput } from './admission-context.ts';
import { CleanTemplates } from './clean-templates.ts';
import { NoVerdict } from './podcheck/no-verdict.ts';
import { podcheckRelease } from './podcheck/release.ts';
import type { PodQuestion } from './podcheck/question.ts';
import { VerdictCache, type PodJudge, type PodsInQuestion } from './verdict-cache.ts';

export interface JudgementOptions {
  readonly podcheck: PodJudge;
  /** What podcheck was built from; absent means the committed one. */
  readonly release?: { readonly kubernetes: string; readonly wasm: string };
  /** What pods take from the installation; absent means the defaults. */
  readonly settings?: PodSettings;
  /** What the API server knows; undefined where it has not said. */
  readonly knownFields?: () => KnownFields | undefined;
  /** Of verdicts that are kept. Default 16 MiB. */
  readonly cacheBytes?: number;
  readonly observeCache?: (result: 'hit' | 'shared' | 'miss') => void;
}

const CACHE_BYTES = 16 * 1024 * 1024;
const SETTINGS: PodSettings = {
  installation: DEFAULT_SETTINGS.installation,
  gateway: DEFAULT_GATEWAY_SETTINGS,
};

/** What is asked about the pods of one cluster, and with what the answers are told. */
interface Case {
  readonly question: PodsInQuestion;
  /** Rendered where they are needed. */
  readonly pods: () => readonly JudgedPod[];
  readonly telling: Telling;
}

/**
 * The whole judgement of a DaskCluster, for webhook and command line alike: structure and product rules, and what
 * Kubernetes says of the pods that the cluster leads to, all findings at once. Kubernetes' part is remembered.
 */
export class Judgement {
  /** Never rejects for a reason that lies in the object: that no verdict came is a finding too. */
  readonly judge: ClusterJudge = (input) => this.remembered(input);
  private readonly cache: VerdictCache;
  private readonly clean: CleanTemplates;
  private readonly options: JudgementOptions;
  private readonly kubernetes: string;

  constructor(options: JudgementOptions) {
    const {
      podcheck,
      release = podcheckRelease(),
      cacheBytes = CACHE_BYTES,
      observeCache = () => undefined,
    } = options;
    this.options = options;
    this.kubernetes = release.kubernetes;
    this.clean = new CleanTemplates(cacheBytes / 2);
    this.cache = new VerdictCache({
      judge: podcheck,
      version: release.wasm,
      mostBytes: cacheBytes / 2,
      observe: observeCache,
    });
  }

  /** Where nothing was to be said of the same templates, only what is around them is judged. */
  private async remembered(input: ClusterJudgeInput): Promise<Verdict> {
    const { object, oldObject, policy } = input;
    const skeleton = skeletonOf(object);
    if (skeleton === undefined) return this.judged(input);
    const key = this.cleanKey(skeleton, input);
    if (!this.clean.has(key)) return this.judged(input, key);
    const oldRest = skeleton.restOf(oldObject);
    if (oldObject !== undefined && oldRest === undefined) return this.judged(input);
    this.options.observeCache?.('hit');
    const { sound, oldSound, ...told } = judge({ object: skeleton.rest, oldObject: oldRest, policy });
    return {
      ...told,
      sound: skeleton.complete(sound),
      ...(oldSound && { oldSound: skeleton.complete(oldSound) }),
    };
  }

  private cleanKey({ templatesKey }: Skeleton, { policy, podSecurity }: ClusterJudgeInput): string {
    const level = stricter(podSecurity, policy.podSecurity);
    return this.clean.keyOf(this.cache.hashOf(policy), level, templatesKey);
  }

  /** @param key under which it is remembered that nothing was to be said */
  private async judged(input: ClusterJudgeInput, key?: string): Promise<Verdict> {
    const told = judge(input);
    const known = this.options.knownFields?.();
    const core = known === undefined ? told : withNewerFields(told, known, this.kubernetes);
    const now = isTooBig(core) ? undefined : this.caseOf(core.sound, input, known);
    if (now === undefined) return core;
    try {
      const answer = this.cache.of(now.question);
      const verdicts = answer instanceof Promise ? await answer : answer;
      if (verdicts.every(isSilent)) {
        // What is let pass for the sake of a stored object alone is not among it.
        if (key !== undefined && core.findings.length === 0) this.clean.add(key);
        return core;
      }
      const ofPods = await this.ofUpdate(now, findingsOf(now, verdicts), input.oldObject);
      return withFindings(core, notToldYet(core.findings, ofPods, input.policy));
    } catch (error) {
      if (!(error instanceof NoVerdict)) throw error;
      return withFindings(core, [this.noVerdict(error, now, input.oldObject)]);
    }
  }

  private get settings(): PodSettings {
    return this.options.settings ?? SETTINGS;
  }

  private caseOf(
    sound: DaskCluster,
    { policy, podSecurity }: Pick<ClusterJudgeInput, 'policy' | 'podSecurity'>,
    known: KnownFields | undefined,
  ): Case | undefined {
    const described = podSource(sound);
    if (described === undefined) return undefined;
    const level = stricter(podSecurity, policy.podSecurity);
    let rendered: readonly JudgedPod[] | undefined;
    const pods = (): readonly JudgedPod[] => (rendered ??= podsOf(described, this.settings));
    return {
      pods,
      question: {
        source: JSON.stringify(described),
        podSecurity: level,
        policy,
        tenant: described.metadata.namespace ?? '',
        questions: () => pods().map(({ pod }) => questionOf(pod, level)),
      },
      telling: { podSecurity: level, kubernetes: this.kubernetes, known },
    };
  }

  /** The stored object is looked at only where there is an error that it may have had already. */
  private async ofUpdate(
    now: Case,
    findings: readonly Finding[],
    oldObject: unknown,
  ): Promise<readonly Finding[]> {
    if (oldObject === undefined || !findings.some(({ level }) => level === 'error')) return findings;
    const before = this.caseBefore(now, oldObject);
    if (before === undefined) return findings;
    if (isEqual(before, now)) return ratchet(findings, findings);
    const [lenient, old] = await Promise.all([
      this.cache.of(after(before, now)),
      this.cache.of(before.question),
    ]);
    return ratchet(findingsOf(now, lenient), findingsOf(before, old));
  }

  private caseBefore({ question, telling }: Case, oldObject: unknown): Case | undefined {
    return this.caseOf(judgeStructure(oldObject).sound, question, telling.known);
  }

  private noVerdict({ message }: NoVerdict, now: Case, oldObject: unknown): Finding {
    const finding: Finding = {
      rule: 'no-verdict',
      level: 'error',
      reason: 'FieldValueInvalid',
      path: FieldPath.of('spec'),
      value: undefined,
      message: `Kubernetes' validation of the pods gave no verdict: ${message}`,
    };
    // An object that is stored may be stopped and labelled, whatever its templates are.
    const before = oldObject === undefined ? undefined : this.caseBefore(now, oldObject);
    const isStored = before !== undefined && isEqual(before, now);
    return isStored ? { ...asWarning(finding), stored: true } : finding;
  }
}

/** What a size rule has refused is left out of the templates, but a configuration is then an empty one. */
function isTooBig({ findings }: Verdict): boolean {
  return findings.some(({ rule, path }) => rule === 'size' && path.toString() === 'spec.config');
}

/** The question of the pods that take the place of others: what was legal once may go on. */
function after(before: Case, { question, pods, telling }: Case): PodsInQuestion {
  const oldPods = new Map(before.pods().map(({ role, pod }) => [role, JSON.stringify(pod)]));
  return {
    ...question,
    oldSource: before.question.source,
    questions: () =>
      pods().map(({ role, pod }) => {
        const oldPod = oldPods.get(role);
        return { ...questionOf(pod, telling.podSecurity), ...(oldPod !== undefined && { oldPod }) };
      }),
  };
}

function questionOf(pod: Pod, level: PodSecurityLevel): PodQuestion {
  return { pod: JSON.stringify(pod), ...(level !== 'privileged' && { level }) };
}

function findingsOf({ pods, telling }: Case, verdicts: readonly PodVerdict[]): readonly Finding[] {
  return pods().flatMap((pod, index) => findingsOfVerdict(pod, verdicts[index] ?? {}, telling));
}

function isEqual(one: Case, other: Case): boolean {
  return one.question.source === other.question.source;
}

/** Fields that are in none of our schemas, but in the API server's, are admitted with a warning. */
function withNewerFields(verdict: Verdict, known: KnownFields, kubernetes: string): Verdict {
  const isNewer = ({ rule, path }: Finding): boolean => {
    if (rule !== UNKNOWN_FIELD) return false;
    const [spec, , template, ...inPod] = path.keys().map(String);
    return spec === 'spec' && template === 'template' && known.has(inPod);
  };
  if (!verdict.findings.some(isNewer)) return verdict;
  const findings = verdict.findings.map((finding) =>
    isNewer(finding) ? { ...asWarning(finding), message: newerField(kubernetes) } : finding,
  );
  return withFindings({ ...verdict, findings }, []);
}

function withFindings(verdict: Omit<Verdict, 'denied'>, more: readonly Finding[]): Verdict {
  const findings = [...verdict.findings, ...more];
  return { ...verdict, findings, denied: findings.some(({ level }) => level === 'error') };
}
