import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { CustomResourceDefinition } from '../../../crds/dask-cluster-crd.ts';
import { OBJECT_RULES, SPEC_RULES, WORKER_TEMPLATE_RULES } from '../../../crds/dask-cluster-rules.ts';
import type { StructuralSchema } from '../../../crds/structural-schema.ts';
import { judge } from '../../../src/core/judge.ts';

const text = readFileSync(join(import.meta.dirname, '../../../crds/daskclusters.yaml'), 'utf8');
const crd = parse(text) as CustomResourceDefinition;
const schema = crd.spec.versions[0].schema.openAPIV3Schema;

function visit(
  node: StructuralSchema,
  path: string,
  see: (node: StructuralSchema, path: string) => void,
): void {
  see(node, path);
  for (const [name, child] of Object.entries(node.properties ?? {})) visit(child, `${path}.${name}`, see);
  if (node.items) visit(node.items, `${path}[]`, see);
  if (node.additionalProperties) visit(node.additionalProperties, `${path}{}`, see);
}

function placesWhere(test: (node: StructuralSchema) => boolean): string[] {
  const places: string[] = [];
  visit(schema, '', (node, path) => {
    if (test(node)) places.push(path);
  });
  return places;
}

describe('the schema', () => {
  it('writes no default into an object', () => {
    expect(placesWhere((node) => 'default' in node)).toEqual([]);
  });

  it('keeps unknown fields wherever it lists the known ones', () => {
    const prunes = placesWhere(
      (node) => node.properties !== undefined && node['x-kubernetes-preserve-unknown-fields'] !== true,
    );
    // The root and metadata are the API server's own.
    expect(prunes).toEqual(['', '.metadata']);
  });

  it('leaves the type of a Quantity open, and of nothing else', () => {
    const open = placesWhere((node) => node.type === undefined && !node['x-kubernetes-int-or-string']);
    expect(new Set(open.map((path) => path.replace(/^.*[.]/, '')))).toEqual(
      new Set(['divisor', 'sizeLimit', 'limits{}', 'requests{}', 'overhead{}']),
    );
  });

  it('admits nulls in every list and map of a pod but the keyed ones', () => {
    const entries = placesWhere(({ items, additionalProperties }) => {
      const entry = items ?? additionalProperties;
      return entry !== undefined && entry.nullable !== true;
    });
    expect(new Set(entries.map((path) => path.replace(/^.*[.]/, '')))).toEqual(
      new Set(['containers', 'initContainers', 'volumes', 'conditions']),
    );
  });

  it('describes our own fields alone', () => {
    const described = placesWhere((node) => node.description !== undefined);
    expect(described.filter((path) => path.includes('.template.'))).toEqual([]);
    expect(described).toContain('.spec.worker.replicas');
  });

  it('demands hardly anything', () => {
    const required = new Map<string, readonly string[]>();
    visit(schema, '', (node, path) => {
      if (node.required) required.set(path.replace(/^.*template\.spec/, 'pod'), node.required);
    });
    expect(Object.fromEntries(required)).toEqual({
      '': ['spec'],
      '.spec.scheduler': ['template'],
      'pod.containers[]': ['name'],
      'pod.initContainers[]': ['name'],
      'pod.volumes[]': ['name'],
      '.status.conditions[]': ['type', 'status'],
    });
  });

  it('knows all keys of dask-gateway, each of which may be null', () => {
    const config = schema.properties?.['spec']?.properties?.['config']?.properties ?? {};
    expect(Object.keys(config)).toHaveLength(29);
    expect(Object.values(config).filter(({ nullable }) => nullable !== true)).toEqual([]);
  });

  it('fits into the annotation of a client-side apply', () => {
    expect(JSON.stringify(crd).length).toBeLessThan(200_000);
  });
});

describe('a rule of the schema says what the product says', () => {
  const rules = [...OBJECT_RULES, ...SPEC_RULES, ...WORKER_TEMPLATE_RULES];
  const template = { spec: { containers: [{ name: 'a', image: 'x' }] } };

  it.each<[string, object]>([
    ['a dotted name', { metadata: { name: 'a.b' }, spec: { config: {} } }],
    ['neither form', { metadata: { name: 'a' }, spec: {} }],
    [
      'workers beside the gateway form',
      { metadata: { name: 'a' }, spec: { config: {}, worker: { template } } },
    ],
    [
      'replicas beside the template form',
      { metadata: { name: 'a' }, spec: { scheduler: { template }, replicas: 1 } },
    ],
    [
      'workers of nothing',
      { metadata: { name: 'a' }, spec: { scheduler: { template }, worker: { replicas: 1 } } },
    ],
    [
      'a worker that always restarts',
      {
        metadata: { name: 'a' },
        spec: {
          scheduler: { template },
          worker: { template: { spec: { ...template.spec, restartPolicy: 'Always' } } },
        },
      },
    ],
  ])('%s', (_, object) => {
    const messages = judge({ object }).findings.map(({ message }) => message);
    const texts = rules.map(({ message }) => message);
    expect(messages.filter((message) => texts.some((text) => message.endsWith(text)))).toHaveLength(1);
  });

  it('a long name', () => {
    const { findings } = judge({ object: { metadata: { name: 'a'.repeat(59) }, spec: { config: {} } } });
    const text = "must be no more than 58 characters (the Service 'dask-<name>' may have 63)";
    expect(OBJECT_RULES.map(({ message }) => message)).toContain(text);
    expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining(text)]);
  });
});
