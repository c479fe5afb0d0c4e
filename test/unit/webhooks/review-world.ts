import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import type { NamespaceFacts } from '../../../src/api/namespace-facts.ts';
import type { AccessQuestion } from '../../../src/core/identity/requester.ts';
import { NO_DEMAND } from '../../../src/core/limits/demand.ts';
import type { Tenancy } from '../../../src/core/limits/scope.ts';
import type { Usage } from '../../../src/core/limits/usage-index.ts';
import { DEFAULT_POLICY, type Policy } from '../../../src/core/policy/policy.ts';
import type { JsonObject } from '../../../src/core/structure/json.ts';
import type {
  AdmissionContext,
  ClusterJudgeInput,
  ClusterUsage,
} from '../../../webhooks/admission-context.ts';
import type { Decision } from '../../../webhooks/decision.ts';
import { anAdmissionContext } from '../../support/admission-context.ts';

type Reservation = Parameters<ClusterUsage['reserve']>[0];

/** What a review is judged in, to be changed by a test, and what the judgement asked of it. */
export class ReviewWorld {
  policy: Policy = DEFAULT_POLICY;
  /** Every other namespace has neither labels nor annotations. */
  readonly namespaces = new Map<string, NamespaceFacts | undefined>();
  mayDo: (question: AccessQuestion) => boolean | Promise<boolean> = () => true;
  cluster: DaskCluster | undefined;
  used: Usage = { ofOwner: NO_DEMAND, ofNamespace: NO_DEMAND };

  /** `<verb> <resource> in <namespace>` of each question, with who asks. */
  readonly asked: string[] = [];
  readonly judged: ClusterJudgeInput[] = [];
  readonly counted: (Tenancy & { readonly name: string })[] = [];
  readonly reserved: Reservation[] = [];
  readonly context: AdmissionContext;

  constructor() {
    const { judge } = anAdmissionContext();
    this.context = anAdmissionContext({
      policy: () => this.policy,
      judge: (input) => {
        this.judged.push(input);
        return judge(input);
      },
      namespaceOf: (name) => {
        const bare = { name, labels: {}, annotations: {} };
        return Promise.resolve(this.namespaces.has(name) ? this.namespaces.get(name) : bare);
      },
      mayDo: async ({ username }, question) => {
        const { verb, resource, namespace, name } = question;
        this.asked.push(`${username}: ${verb} ${resource}${name && ` ${name}`} in ${namespace}`);
        return this.mayDo(question);
      },
      clusterOf: (namespace, name) => {
        const { cluster } = this;
        return cluster?.metadata.namespace === namespace && cluster.metadata.name === name
          ? cluster
          : undefined;
      },
      usage: {
        usageBeside: (name, tenancy) => {
          this.counted.push({ name, ...tenancy });
          return this.used;
        },
        reserve: (admitted) => void this.reserved.push(admitted),
      },
    });
  }

  with(policy: Partial<Policy>): this {
    this.policy = { ...this.policy, ...policy };
    return this;
  }

  labelled(
    name: string,
    labels: NamespaceFacts['labels'],
    annotations: NamespaceFacts['annotations'] = {},
  ): this {
    this.namespaces.set(name, { name, labels, annotations });
    return this;
  }
}

/** As it comes over the wire. */
export function json(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

/** Level, rule and path of each finding. */
export function told({ findings }: Decision): readonly string[] {
  return findings.map(({ level, rule, path }) => `${level} ${rule} ${path.toString()}`);
}
