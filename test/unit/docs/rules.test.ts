import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../../../src/api/kubernetes.ts';
import { format, type Finding } from '../../../src/core/findings.ts';
import { judge } from '../../../src/core/judge.ts';
import { judgePod } from '../../../src/core/posing.ts';
import { RULES } from '../../../src/core/rules/table.ts';

type Json = Readonly<Record<string, unknown>>;

/** Rules that are not in the table of rules: of the structure, of other objects. */
const OTHERS = ['size', 'form', 'structure', 'unknown-field', 'scale', 'posing'];

const [introduction = '', ...sections] = readFileSync(
  join(import.meta.dirname, '../../../docs/rules.md'),
  'utf8',
).split(/^## /m);
const good = parse(blocks(introduction, 'yaml')[0] ?? '') as Json;
const described = sections.map((section) => ({
  id: section.split('\n', 1)[0] ?? '',
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

function judged(example: Json): readonly Finding[] {
  if (example['kind'] !== 'Pod') return judge({ object: merge(good, example) }).findings;
  return judgePod({ pod: example as unknown as KubeObject, username: 'alice', podCreators: new Set() });
}

describe('docs/rules.md', () => {
  it('has a row and a section for every rule, and for no other', () => {
    const rows = [...introduction.matchAll(/^\| \[`([a-z-]+)`\]\(#([a-z-]+)\)/gm)];
    expect(rows.map(([, id]) => id).sort()).toEqual([...RULES.map(({ id }) => id), ...OTHERS].sort());
    expect(rows.map(([, id, anchor]) => [id, anchor])).toEqual(described.map(({ id }) => [id, id]));
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
    ({ id, part, told }) => {
      const findings = judged(parse(part ?? '') as Json);
      expect(findings.map(format)).toEqual(told);
      expect(new Set(findings.map(({ rule }) => rule))).toEqual(new Set([id]));
    },
  );

  it('has an example of all but the unwieldy ones', () => {
    expect(described.filter(({ part }) => part === undefined).map(({ id }) => id)).toEqual(['size', 'scale']);
  });
});
