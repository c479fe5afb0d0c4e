import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { DaskCluster } from '../../../src/api/dask-cluster.ts';
import { format } from '../../../src/core/findings.ts';
import { judgeNamespace } from '../../../src/core/identity/namespace-rules.ts';
import { judge } from '../../../src/core/judge.ts';
import { judgeLimits } from '../../../src/core/limits/judge-limits.ts';
import { withReplicas } from '../../../src/core/limits/judge-scale.ts';
import { UsageIndex } from '../../../src/core/limits/usage-index.ts';
import { parsePolicy } from '../../../src/core/policy/parse.ts';
import type { Policy } from '../../../src/core/policy/policy.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SECTIONS = new Map(
  readFileSync(join(ROOT, 'docs/admission.md'), 'utf8')
    .split(/^## /m)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

/** The configuration of a section, which must be one without a fault. */
function policyOf(title: string): Policy {
  const [, yaml = ''] = /```yaml configuration\n([^]*?)```/.exec(SECTIONS.get(title) ?? '') ?? [];
  const parsed = parsePolicy(parse(yaml));
  if ('problems' in parsed) throw new Error(parsed.problems.map(({ message }) => message).join());
  return parsed.policy;
}

function shownIn(title: string): readonly string[] {
  const [, text = ''] = /```text\n([^]*?)```/.exec(SECTIONS.get(title) ?? '') ?? [];
  return text.trimEnd().split('\n');
}

const example = parse(readFileSync(join(ROOT, 'examples/cluster.yaml'), 'utf8')) as DaskCluster;

describe('docs/admission.md', () => {
  it('says what is really said of limits', () => {
    const policy = policyOf('Limits');
    const tenancy = { owner: 'ada', namespace: 'team-a' };
    const usage = new UsageIndex().beside('team-a/demo', tenancy);
    const limited = (owner: string) =>
      judgeLimits({ cluster: withReplicas(example, 5), owner, policy, usage }).map(format);
    expect(limited('ada')).toEqual(shownIn('Limits'));
    expect(limited('batch@example.org')).toEqual([]);
  });

  it('says what is really said of namespaces', () => {
    const policy = policyOf('Namespaces');
    const requester = { username: 'eve', uid: '', groups: ['researchers'], extra: {} };
    const told = (name: string) =>
      judgeNamespace({ policy, requester, namespace: { name, labels: {}, annotations: {} } }).findings;
    expect(told('research-a')).toEqual([]);
    expect(told('team-a').map(format)).toEqual(shownIn('Namespaces'));
  });

  it('has configurations without a fault', () => {
    expect(policyOf('Trusted deployers').trustedDeployers).toHaveLength(1);
    expect(policyOf('dask-gateway').gatewayForm).toMatchObject({ onInvalid: 'Fail' });
  });

  it('says what is really said of the gateway form', () => {
    const config = { worker_memory: 8589934592, worker_memory_limit: 4294967296 };
    const object = { ...example, spec: { config } };
    expect(judge({ object }).findings.map(format)).toEqual(
      expect.arrayContaining([...shownIn('dask-gateway')]),
    );
  });
});
