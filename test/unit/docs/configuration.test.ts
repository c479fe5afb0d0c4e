import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../../src/core/policy/parse.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy/policy.ts';
import { mapValues, POLICY_SCHEMA, resolved, type PolicySchema } from '../../../src/core/policy/schema.ts';
import { ConfigurationError } from '../../../src/platform/configuration-error.ts';
import { parseConfigurationText } from '../../../src/platform/read-configuration.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8');

interface Row {
  readonly field: string;
  readonly type: string;
  readonly default: string;
  readonly text: string;
}

/** A row for each field of the schema, in its order. */
function rowsOf(part: PolicySchema, field: string): readonly Row[] {
  const schema = resolved(part);
  const values = mapValues(schema);
  const own: readonly Row[] =
    schema.description === undefined || field === ''
      ? []
      : [{ field, type: typeOf(schema), default: defaultOf(schema), text: schema.description }];
  const below = [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
      rowsOf(child, field === '' ? name : `${field}.${name}`),
    ),
    ...(values === undefined ? [] : rowsOf(values, `${field}.<name>`)),
    ...(schema.items === undefined ? [] : rowsOf(schema.items, `${field}[]`)),
  ];
  return [...own, ...below];
}

function typeOf(schema: PolicySchema): string {
  const { type, enum: allowed, items, minimum, maximum } = schema;
  if (allowed !== undefined) return allowed.map((value) => `\`${value}\``).join(', ');
  if (Array.isArray(type)) return 'quantity';
  if (items !== undefined) return `list of ${items.type === 'object' ? 'objects' : 'texts'}`;
  if (mapValues(schema) !== undefined) return 'map';
  if (type === 'integer') return `number${maximum === undefined ? '' : `, ${minimum ?? 0} to ${maximum}`}`;
  return String(type);
}

function defaultOf({ default: value }: PolicySchema): string {
  return value === undefined ? '' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function problemsOf(text: string): readonly string[] {
  try {
    parseConfigurationText('policy.yaml', text, parsePolicy);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems;
  }
}

describe('docs/configuration.md', () => {
  it('has a row for every field of the schema, in its order', () => {
    const rows = [...DOCUMENT.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) =>
      row.split('|').map((cell) => cell.trim()),
    );
    expect(rows).toEqual(
      rowsOf(POLICY_SCHEMA, '').map(({ field, type, default: value, text }) => [
        `\`${field}\``,
        type,
        value,
        text,
      ]),
    );
  });

  it('shows a configuration without a fault', () => {
    const [, yaml = ''] = /```yaml\n([^]*?)```/.exec(DOCUMENT) ?? [];
    expect(problemsOf(yaml)).toEqual([]);
    const names = Object.keys(POLICY_SCHEMA.properties ?? {});
    expect(names.filter((name) => !yaml.includes(`${name}:`))).toEqual(['podCreators']);
  });

  it('says what is really said', () => {
    const [, shown = ''] = /```text\n([^]*?)```/.exec(DOCUMENT) ?? [];
    const bad = 'enforcment: Deny\nrules:\n  imagse: Off\nlimits:\n  user:\n    memory: 512m\n';
    expect(problemsOf(bad)).toEqual(shown.trimEnd().split('\n'));
  });
});

describe('the schema', () => {
  it('has the defaults of the policy', () => {
    const defaults = (part: PolicySchema): unknown => {
      const schema = resolved(part);
      if (schema.default !== undefined) return schema.default;
      return schema.type === 'object'
        ? Object.fromEntries(
            Object.entries(schema.properties ?? {})
              .map(([name, child]) => [name, defaults(child)])
              .filter(([, value]) => value !== undefined),
          )
        : undefined;
    };
    expect(defaults(POLICY_SCHEMA)).toEqual(DEFAULT_POLICY);
  });

  it('knows all fields of every object', () => {
    const open = (part: PolicySchema, place: string): readonly string[] => {
      const schema = resolved(part);
      const values = mapValues(schema);
      return [
        ...(schema.type === 'object' && schema.additionalProperties === undefined ? [place] : []),
        ...Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
          open(child, `${place}.${name}`),
        ),
        ...(values === undefined ? [] : open(values, `${place}.<name>`)),
        ...(schema.items === undefined ? [] : open(schema.items, `${place}[]`)),
      ];
    };
    expect(open(POLICY_SCHEMA, '')).toEqual([]);
  });
});
