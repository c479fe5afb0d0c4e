import { describe, expect, it } from 'vitest';
import { format } from '../../../../src/core/findings.ts';
import { judgeRequestedBy, requestedByPatch } from '../../../../src/core/identity/requested-by.ts';
import { applyJsonPatch } from '../../../support/json-patch.ts';

const KEY = 'daskwarden.dev/requested-by';
const PATH = `metadata.annotations[${KEY}]`;
const ODD = 'system:serviceaccount:team-a:ci/"~1';

function by(user?: unknown, more: object = {}, metadata: object = {}): object {
  const annotations = user === undefined ? {} : { annotations: { [KEY]: user } };
  return { metadata: { name: 'demo', ...annotations, ...metadata }, spec: more };
}

describe('requestedByPatch', () => {
  it.each([
    ['no annotations', by()],
    ['null for the annotations', by(undefined, {}, { annotations: null })],
    ['other annotations', by(undefined, {}, { annotations: { a: 'b' } })],
    ['null for the annotation', by(null)],
  ])('names the creator of an object with %s, once', (_, object) => {
    const patched = applyJsonPatch(object, requestedByPatch(object, undefined, ODD));
    expect(patched).toMatchObject({ metadata: { name: 'demo', annotations: { [KEY]: ODD } } });
    expect(requestedByPatch(patched, undefined, ODD)).toEqual([]);
    expect(judgeRequestedBy(patched, undefined, ODD)).toEqual([]);
  });

  it('leaves other annotations as they are', () => {
    const object = by(undefined, {}, { annotations: { a: 'b' } });
    expect(requestedByPatch(object, undefined, 'ada')).toEqual([
      { op: 'add', path: '/metadata/annotations/daskwarden.dev~1requested-by', value: 'ada' },
    ]);
  });

  it('puts back on update what was taken away, and adds nothing that was not there', () => {
    const patched = applyJsonPatch(by(), requestedByPatch(by(), by('ada'), 'bob'));
    expect(patched).toMatchObject({ metadata: { annotations: { [KEY]: 'ada' } } });
    expect(requestedByPatch(by(), by(), 'bob')).toEqual([]);
  });

  it.each([
    ['a forged name', by('eve')],
    ['no metadata', {}],
    ['a text for the metadata', { metadata: 'x' }],
    ['a list of annotations', by(undefined, {}, { annotations: [] })],
    ['nothing', undefined],
    ['null', null],
    ['a list', []],
  ])('changes nothing of %s', (_, object) => {
    expect(requestedByPatch(object, undefined, 'ada')).toEqual([]);
  });

  it('changes nothing where nobody is known', () => {
    expect(requestedByPatch(by(), undefined, '')).toEqual([]);
  });
});

describe('judgeRequestedBy', () => {
  function told(object: unknown, oldObject: unknown, username = 'ada'): string[] {
    return judgeRequestedBy(object, oldObject, username).map(
      (finding) => `${finding.level} ${format(finding)}`,
    );
  }

  it.each<[string, unknown, unknown]>([
    ['a create without it: the mutating half may be away', by(), undefined],
    ['a create with the own name', by('ada'), undefined],
    ['an update that keeps it', by('bob'), by('bob')],
    ['an update of an object that never had it', by(), by()],
    ['an update by which one takes an object upon oneself', by('ada'), by()],
    [
      'any write to what is being deleted',
      by(),
      by('bob', {}, { deletionTimestamp: '2026-03-01T12:00:00Z' }),
    ],
    ['no object at all', undefined, null],
  ])('accepts %s', (_, object, oldObject) => {
    expect(told(object, oldObject)).toEqual([]);
  });

  it('refuses a create in the name of somebody else', () => {
    const message = `error ${PATH}: Forbidden: says who created the cluster, and you are 'ada'; leave it out`;
    expect(told(by('bob'), undefined)).toEqual([message]);
    expect(told(by(7), undefined)).toEqual([message]);
    expect(told(by(''), undefined)).toEqual([message]);
  });

  it('refuses to enter somebody else afterwards', () => {
    expect(told(by('bob'), by())).toEqual([
      `error ${PATH}: Forbidden: says who created the cluster, and you are 'ada'; leave it out, or write 'ada'`,
    ]);
  });

  it('refuses a change, also to the own name and by a stop', () => {
    const message = `error ${PATH}: Forbidden: says who created the cluster, and may not be changed; leave it out, or write 'bob'`;
    expect(told(by('ada'), by('bob'))).toEqual([message]);
    expect(told(by('ada', { active: false }), by('bob'))).toEqual([message]);
  });

  it('refuses that it is taken away, but not from what is stopped', () => {
    const message = `${PATH}: Forbidden: says who created the cluster, and may not be taken away; write the stored value`;
    expect(told(by(), by('bob'))).toEqual([`error ${message}`]);
    expect(told(by(undefined, { active: true }), by('bob'))).toEqual([`error ${message}`]);
    expect(told(by(undefined, { active: false }), by('bob'))).toEqual([`warning ${message}`]);
  });
});
