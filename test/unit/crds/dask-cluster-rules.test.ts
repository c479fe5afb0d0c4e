import { describe, expect, it } from 'vitest';
import { OBJECT_RULES, SPEC_RULES, WORKER_TEMPLATE_RULES } from '../../../crds/dask-cluster-rules.ts';
import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import { judge } from '../../../src/core/judge.ts';
import { aCluster, withPodSpec } from '../../support/builders.ts';
import { aGatewayCluster } from '../../support/gateway-cluster.ts';

/** Where a rule of the definition stands, what it breaks on, and what was stored before. */
interface Broken {
  readonly at: string;
  readonly message: string;
  readonly object: unknown;
  readonly oldObject?: DaskCluster;
}

const cluster = aCluster();
const withSpec = (spec: object): DaskCluster => aCluster({ spec });
const placed = withSpec({ placement: { namespaceMode: 'Shared' } });
const named = withSpec({ username: 'alice' });

/** One object for every rule, in the order of the rules. */
const OBJECTS: readonly { readonly object: unknown; readonly oldObject?: DaskCluster }[] = [
  { object: aCluster({ name: 'a.b' }) },
  { object: aCluster({ name: 'a'.repeat(59) }) },
  { object: { ...cluster, spec: {} } },
  { object: { ...aGatewayCluster(), spec: { config: {}, worker: {} } } },
  { object: withSpec({ replicas: 1 }) },
  { object: withSpec({ worker: { replicas: 1 } }) },
  { object: { ...aGatewayCluster(), spec: { config: {} } }, oldObject: cluster },
  { object: cluster, oldObject: placed },
  { object: cluster, oldObject: named },
  { object: withPodSpec('worker', { restartPolicy: 'Always' }) },
];

const PLACES = [
  ...OBJECT_RULES.map((rule) => ({ ...rule, below: '' })),
  ...SPEC_RULES.map((rule) => ({ ...rule, below: 'spec' })),
  ...WORKER_TEMPLATE_RULES.map((rule) => ({ ...rule, below: 'spec.worker.template' })),
];

const BROKEN = PLACES.map(({ below, fieldPath = '', message }, index): Broken => {
  const example = OBJECTS[index] ?? { object: cluster };
  return { at: `${below}${fieldPath}`.replace(/^\./, ''), message, ...example };
});

describe("the definition's own rules", () => {
  it('are all broken by one object each', () => {
    expect(OBJECTS).toHaveLength(PLACES.length);
  });

  it.each(BROKEN)('say at $at what the judge says: $message', ({ at, message, ...input }) => {
    const { findings, denied } = judge(input);
    expect(denied).toBe(true);
    const said = findings.filter(({ path }) => path.toString() === at).map((finding) => finding.message);
    // What stands before it is the kind of the fault and the value, which the API server puts there as well.
    expect(said.map((text) => text.slice(-message.length))).toContain(message);
  });
});
