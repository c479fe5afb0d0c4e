import { describe, expect, it } from 'vitest';
import { structuralSchemaOf, UnknownOpenApi, type OpenApi } from '../../../crds/pod-schema.ts';

function openApi(schemas: OpenApi['components']['schemas']): OpenApi {
  return { components: { schemas } };
}

const reference = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });
const keep = { 'x-kubernetes-preserve-unknown-fields': true };

describe('a type of the API becomes', () => {
  it('an object without what is required, in the order of the alphabet', () => {
    const document = openApi({
      'x.Probe': {
        type: 'object',
        required: ['port'],
        properties: { port: { type: 'integer', format: 'int32' }, name: { type: 'string' } },
      } as never,
    });
    expect(JSON.stringify(structuralSchemaOf(document, 'x.Probe'))).toBe(
      JSON.stringify({
        type: 'object',
        ...keep,
        properties: { name: { type: 'string' }, port: { type: 'integer', format: 'int32' } },
      }),
    );
  });

  it.each([
    ['a Quantity of any type', { 'x.Quantity': { oneOf: [{ type: 'string' }] } }, keep],
    ['an IntOrString', { 'x.IntOrString': {} }, { 'x-kubernetes-int-or-string': true }],
    [
      'a map whose values may be null',
      { 'x.Labels': { type: 'object', additionalProperties: { type: 'string' } } },
      { type: 'object', additionalProperties: { type: 'string', nullable: true } },
    ],
    [
      'a list whose items may be null',
      { 'x.Args': { type: 'array', items: { type: 'string' } } },
      { type: 'array', items: { type: 'string', nullable: true }, 'x-kubernetes-list-type': 'atomic' },
    ],
    ['an object without known fields', { 'x.FieldsV1': { type: 'object' } }, { type: 'object', ...keep }],
  ])('%s', (_, schemas, expected) => {
    expect(structuralSchemaOf(openApi(schemas), Object.keys(schemas)[0] ?? '')).toEqual(expected);
  });

  it('a list by name only where a pod has one', () => {
    const list = { type: 'array', items: { allOf: [reference('x.Container')] } };
    const document = openApi({
      'x.PodSpec': { type: 'object', properties: { containers: list, ephemeralContainers: list } },
      'x.Container': { type: 'object', properties: { name: { type: 'string' } } },
    });
    const { properties } = structuralSchemaOf(document, 'x.PodSpec');
    const item = { type: 'object', ...keep, properties: { name: { type: 'string' } } };
    expect(properties).toEqual({
      containers: {
        type: 'array',
        items: { ...item, required: ['name'] },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
      ephemeralContainers: {
        type: 'array',
        items: { ...item, nullable: true },
        'x-kubernetes-list-type': 'atomic',
      },
    });
  });
});

it.each([
  ['a type that is not there', {}, /no component 'x.Pod'/],
  ['a construct that it does not know', { 'x.Pod': { oneOf: [{ type: 'string' }] } }, /^Pod: cannot convert/],
  ['a list of nothing', { 'x.Pod': { type: 'array' } }, /^Pod: a list without items/],
])('refuses %s', (_, schemas, message) => {
  expect(() => structuralSchemaOf(openApi(schemas), 'x.Pod')).toThrow(UnknownOpenApi);
  expect(() => structuralSchemaOf(openApi(schemas), 'x.Pod')).toThrow(message);
});
