import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../../../src/api/kubernetes.ts';
import { format, type Finding } from '../../../src/core/findings.ts';
import { judge } from '../../../src/core/judge.ts';
import { applyPolicy } from '../../../src/core/policy/apply.ts';
import { parsePolicy } from '../../../src/core/policy/parse.ts';
import { DEFAULT_POLICY, type Policy } from '../../../src/core/policy/policy.ts';
import { judgePod } from '../../../src/core/posing.ts';
import { CATALOGUE } from '../../../src/core/rules/catalogue.ts';
import { judgeReach } from '../../../src/core/rules/reach/judge-reach.ts';
import { RULES } from '../../../src/core/rules/table.ts';

type Json = Readonly<Record<string, unknown>>;

/** What no single object shows: the size of it, what is known of others, and what Kubernetes' validation says. */
const WITHOUT_EXAMPLE = [
  'size',
  'pod-validation',
  'pod-warning',
  'pod-security',
  'no-verdict',
  'limits',
  'namespace-rules',
  'placement',
  'requested-by',
  'scale',
  'connect',
];

const [introduction = '', ...sections] = readFileSync(
  join(import.meta.dirname, '../../../docs/rules.md'),
  'utf8',
).split(/^## /m);
const good = parse(blocks(introduction, 'yaml')[0] ?? '') as Json;
const described = sections.map((section) => ({
  id: section.split('\n', 1)[0] ?? '',
  /** What the configuration has to say for it. */
  configuration: blocks(section, 'yaml configuration')[0],
  /** What was stored before. */
  stored: blocks(section, 'yaml stored')[0],
  part: blocks(section, 'yaml')[0],
  told: blocks(section, 'text')[0]?.trimEnd().split('\n'),
}));

function blocks(markdown: string, language: string): string[] {
  return [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, text = '']) => text,
  );
}

/** The smallest cluster with a part of it replaced: objects are merged, lists are not. */
function merge(whole: unknown, part: unknown): unknown {
  if (!isObject(whole) || !isObject(part)) return part;
  const merged = Object.entries(part).map(([key, value]) => [key, merge(whole[key], value)]);
  return { ...whole, ...(Object.fromEntries(merged) as Json) };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Example {
  readonly id: string;
  readonly part?: string | undefined;
  readonly stored?: string | undefined;
  readonly configuration?: string | undefined;
}

function judged({ id, part = '', stored, configuration }: Example): readonly Finding[] {
  const example = parse(part) as Json;
  if (example['kind'] === 'Pod') {
    return judgePod({ pod: example as unknown as KubeObject, username: 'alice', podCreators: new Set() });
  }
  const policy = policyOf(configuration);
  const { findings, sound } = judge({
    object: merge(good, example),
    ...(stored !== undefined && { oldObject: merge(good, parse(stored)) }),
    policy,
  });
  const all = id === 'reach' ? judgeReach(sound, policy) : findings;
  return applyPolicy(all, { policy, enforcement: 'Deny', softened: false });
}

function policyOf(configuration: string | undefined): Policy {
  if (configuration === undefined) return DEFAULT_POLICY;
  const parsed = parsePolicy(parse(configuration));
  if ('problems' in parsed) throw new Error(parsed.problems.map(({ message }) => message).join());
  return parsed.policy;
}

describe('docs/rules.md', () => {
  it('has a row and a section for every rule of the catalogue, in its order, and for no other', () => {
    const rows = [...introduction.matchAll(/^\| \[`([a-z-]+)`\]\(#([a-z-]+)\)(.*)\|$/gm)].map(
      ([, id = '', anchor = '', rest = '']) => {
        const [form, ...cells] = rest
          .split('|')
          .slice(1)
          .map((cell) => cell.trim());
        return { id, anchor, form, level: cells.at(-2)?.replace(/[¹²]/, ''), off: cells.at(-1) };
      },
    );
    expect(rows).toEqual(
      CATALOGUE.map(({ id, form, level, adjustable, security }) => {
        const fixed = security ? 'never' : 'no';
        return { id, anchor: id, form, level, off: adjustable ? 'yes' : fixed };
      }),
    );
    expect(described.map(({ id }) => id)).toEqual(CATALOGUE.map(({ id }) => id));
  });

  it('has its rules in the order in which findings are told', () => {
    const ids = new Set(RULES.map(({ id }) => id));
    expect(described.map(({ id }) => id).filter((id) => ids.has(id))).toEqual(RULES.map(({ id }) => id));
  });

  it('begins with a cluster that no rule refuses', () => {
    expect(judge({ object: good }).findings).toEqual([]);
  });

  it.each(described.filter(({ part }) => part !== undefined))(
    'says what is really said: $id',
    ({ told, ...example }) => {
      const findings = judged(example);
      expect(findings.map(format)).toEqual(told);
      expect(new Set(findings.map(({ rule }) => rule))).toEqual(new Set([example.id]));
    },
  );

  it('has an example of all but the unwieldy ones', () => {
    const without = described.filter(({ part }) => part === undefined).map(({ id }) => id);
    expect(without).toEqual(WITHOUT_EXAMPLE);
  });
});
