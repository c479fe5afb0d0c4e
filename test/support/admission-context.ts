import { judge } from '../../src/core/judge.ts';
import { NO_DEMAND } from '../../src/core/limits/demand.ts';
import { DEFAULT_POLICY } from '../../src/core/policy/policy.ts';
import type { AdmissionContext } from '../../webhooks/admission-context.ts';

/** The account that {@link anAdmissionContext} lets create pods of clusters. */
export const POD_CREATOR = 'controller';

/** What handlers know in a test: default rules, every right, no other cluster, and no validation of pods. */
export function anAdmissionContext(change: Partial<AdmissionContext> = {}): AdmissionContext {
  return {
    policy: () => ({ ...DEFAULT_POLICY, podCreators: [POD_CREATOR] }),
    judge: (input) => Promise.resolve(judge(input)),
    namespaceOf: (name) => Promise.resolve({ name, labels: {}, annotations: {} }),
    mayDo: () => Promise.resolve(true),
    clusterOf: () => undefined,
    usage: {
      usageBeside: () => ({ ofOwner: NO_DEMAND, ofNamespace: NO_DEMAND }),
      reserve: () => undefined,
    },
    ...change,
  };
}
