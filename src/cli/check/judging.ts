import type { DaskCluster } from '../../api/dask-cluster.ts';
import { FieldPath } from '../../api/field-path.ts';
import type { Pod } from '../../api/kubernetes.ts';
import { asWarning, type Finding } from '../../core/findings.ts';
import { podSecurityOf, stricter } from '../../core/identity/pod-security-level.ts';
import { applyPolicy, enforcementOf } from '../../core/policy/apply.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { findingsOfVerdict } from '../../core/pod-verdict/findings-of-verdict.ts';
import type { JudgedPod } from '../../core/pod-verdict/judged-pod.ts';
import { roleOfPod } from '../../core/render/credentials.ts';
import { segmentsOfPodField } from '../../core/render/gateway/pod-field.ts';
import { judgeReach } from '../../core/rules/reach/judge-reach.ts';
import { isObject } from '../../core/structure/json.ts';
import { fieldPathOf } from '../../core/structure/place.ts';
import { Judgement } from '../../../webhooks/judgement.ts';
import { Podcheck } from '../../../webhooks/podcheck/podcheck.ts';
import { podcheckRelease } from '../../../webhooks/podcheck/release.ts';

/** An object and what the rules say of it. */
export interface Subject {
  readonly namespace: string;
  /** Or the beginning of it, where the API server makes the rest. */
  readonly name: string;
  /** As it would be sent. */
  readonly object: unknown;
  readonly sound: DaskCluster;
  readonly findings: readonly Finding[];
}

export interface Surroundings {
  /** Where the object names no namespace. */
  readonly defaultNamespace: string;
  /** Labels of its namespace, where they are known. */
  readonly namespaceLabels?: Labels | undefined;
}

type Labels = Readonly<Record<string, string>>;

/** Nobody else waits here: what takes long on a busy machine may take long. */
const PATIENT = { timeoutMs: 15_000, longestWaitMs: 600_000 } as const;

/** The judgement of the admission webhook, as far as it does not depend on who asks. */
export class Judging implements AsyncDisposable {
  readonly policy: Policy;
  private readonly podcheck: Podcheck;
  private readonly isShared: boolean;
  private readonly judgement: Judgement;

  /** @param podcheck one that others use too; absent: one of its own */
  constructor(policy: Policy, podcheck?: Podcheck) {
    this.policy = policy;
    this.isShared = podcheck !== undefined;
    this.podcheck = podcheck ?? new Podcheck(PATIENT);
    this.judgement = new Judgement({ podcheck: this.podcheck, release: podcheckRelease() });
  }

  async judge(given: unknown, { defaultNamespace, namespaceLabels }: Surroundings): Promise<Subject> {
    const { policy } = this;
    const object = inNamespace(given, defaultNamespace);
    const podSecurity = podSecurityOf(namespaceLabels ?? {});
    const { findings, sound } = await this.judgement.judge({ object, policy, podSecurity });
    // Whoever may create such pods himself may reach as far, and here nobody knows who will ask.
    const reach = judgeReach(sound, policy).map(asWarning);
    const { name, generateName, namespace } = sound.metadata;
    return {
      namespace: namespace ?? defaultNamespace,
      name: (name || generateName) ?? '',
      object,
      sound,
      findings: [...this.applied(findings, namespaceLabels), ...reach],
    };
  }

  /** What Kubernetes would say of a pod that runs, if it came now. */
  async judgePod(stored: Pod, namespaceLabels: Labels | undefined): Promise<readonly Finding[]> {
    const pod = asNew(stored);
    const podSecurity = stricter(podSecurityOf(namespaceLabels ?? {}), this.policy.podSecurity);
    const question = {
      pod: JSON.stringify(pod),
      ...(podSecurity === 'privileged' ? {} : { level: podSecurity }),
    };
    const verdicts = await this.podcheck.check([question], '');
    const judged: JudgedPod = {
      role: roleOfPod(pod) ?? 'worker',
      pod,
      // The object that paths lead through is the pod itself.
      cluster: pod as unknown as DaskCluster,
      path: FieldPath.of('spec'),
      pathOf: (field) => fieldPathOf(pod, segmentsOfPodField(field)),
    };
    const { kubernetes } = podcheckRelease();
    const findings = verdicts.flatMap((verdict) =>
      findingsOfVerdict(judged, verdict, { podSecurity, kubernetes }),
    );
    return this.applied(findings, namespaceLabels);
  }

  private applied(findings: readonly Finding[], labels: Labels | undefined): readonly Finding[] {
    const { policy } = this;
    return applyPolicy(findings, { policy, enforcement: enforcementOf(policy, labels), softened: false });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.isShared) await this.podcheck.close();
  }
}

/** kubectl puts it in before it sends an object. */
function inNamespace(object: unknown, namespace: string): unknown {
  if (!isObject(object) || !isObject(object['metadata'])) return object;
  const { metadata } = object;
  return metadata['namespace'] ? object : { ...object, metadata: { ...metadata, namespace } };
}

/** Without what only the API server writes, and what only a running pod can have. */
function asNew({ status: _status, spec, ...pod }: Pod): Pod {
  const { ephemeralContainers: _ephemeral, ...created } = spec;
  const { name, namespace, labels, annotations } = pod.metadata;
  const metadata = { ...(labels && { labels }), ...(annotations && { annotations }) };
  return {
    ...pod,
    metadata: {
      ...metadata,
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
    },
    spec: created,
  };
}
