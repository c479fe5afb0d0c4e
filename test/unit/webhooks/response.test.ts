import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../src/api/field-path.ts';
import { asWarning, type Finding, forbidden, invalid } from '../../../src/core/findings.ts';
import { allow, deny } from '../../../webhooks/decision.ts';
import { encodeResponse } from '../../../webhooks/response.ts';
import { aRequest } from './reviews.ts';

function fault(rule: string, field: string, value: unknown, message: string): Finding {
  return invalid({ rule, path: FieldPath.of(...field.split('.')), value, message });
}

const NEGATIVE = fault('structure', 'spec.worker.replicas', -1, 'must be greater than or equal to 0');
const NAME = fault('names', 'metadata.name', 'A', 'must be lower case');

interface Causes {
  readonly message: string;
  readonly details: { readonly name: string; readonly causes: readonly { readonly message: string }[] };
}

function denial(findings: readonly Finding[], request = aRequest()): Causes {
  return encodeResponse(request, deny('Invalid', findings)).response.status as Causes;
}

function warnings(findings: readonly Finding[]): readonly string[] | undefined {
  return encodeResponse(aRequest(), allow(findings.map(asWarning))).response.warnings;
}

describe('an allowance', () => {
  it('is the uid and nothing else', () => {
    expect(encodeResponse(aRequest({ uid: 'u-1' }), allow())).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u-1', allowed: true },
    });
  });

  it('carries a patch with its type, in base64', () => {
    const patch = [{ op: 'remove', path: '/spec/scheduler/template/spec/hostname' }] as const;
    const { response } = encodeResponse(aRequest(), allow([], patch));
    expect(response.patchType).toBe('JSONPatch');
    expect(JSON.parse(Buffer.from(response.patch ?? '', 'base64').toString('utf8'))).toEqual(patch);
  });

  it('carries old faults as warnings, and their rules for the audit log', () => {
    const { response } = encodeResponse(aRequest(), allow([NEGATIVE, NAME, NEGATIVE].map(asWarning)));
    expect(response).toEqual({
      uid: aRequest().uid,
      allowed: true,
      warnings: [
        'spec.worker.replicas: Invalid value: -1: must be greater than or equal to 0',
        'metadata.name: Invalid value: "A": must be lower case',
      ],
      auditAnnotations: { rules: 'names,structure' },
    });
  });
});

describe('audit annotations', () => {
  it('say by what the object is found again, also where nothing was found', () => {
    const { response } = encodeResponse(aRequest(), { ...allow(), correlation: 'u/1' });
    expect(response).toEqual({
      uid: aRequest().uid,
      allowed: true,
      auditAnnotations: { correlation: 'u/1' },
    });
  });

  it('say what was spared, but of nothing else', () => {
    const spared = { ...allow([asWarning(NAME)]), spared: true, correlation: 'u/1' };
    expect(encodeResponse(aRequest(), spared).response.auditAnnotations).toEqual({
      rules: 'names',
      spared: 'true',
      correlation: 'u/1',
    });
    const warned = { ...allow([asWarning(NAME)]), spared: false };
    expect(encodeResponse(aRequest(), warned).response.auditAnnotations).toEqual({ rules: 'names' });
    const denied = { ...deny('Invalid', [NAME]), spared: true };
    expect(encodeResponse(aRequest(), denied).response.auditAnnotations).toEqual({ rules: 'names' });
  });
});

describe('a denial', () => {
  it('as Invalid has a cause for each fault, and all of them in its message', () => {
    const { response } = encodeResponse(aRequest(), deny('Invalid', [NEGATIVE, NAME]));
    expect(response).toEqual({
      uid: aRequest().uid,
      allowed: false,
      status: {
        status: 'Failure',
        code: 422,
        reason: 'Invalid',
        message:
          'spec.worker.replicas: Invalid value: -1: must be greater than or equal to 0; metadata.name: Invalid value: "A": must be lower case',
        details: {
          group: 'gateway.dask.org',
          kind: 'DaskCluster',
          name: 'demo',
          causes: [
            {
              reason: 'FieldValueInvalid',
              field: 'spec.worker.replicas',
              message: 'Invalid value: -1: must be greater than or equal to 0',
            },
            {
              reason: 'FieldValueInvalid',
              field: 'metadata.name',
              message: 'Invalid value: "A": must be lower case',
            },
          ],
        },
      },
      auditAnnotations: { rules: 'names,structure' },
    });
  });

  it('as Forbidden has a message alone: kubectl shows the causes of nothing but Invalid', () => {
    const posing = forbidden({
      rule: 'posing',
      path: FieldPath.of('metadata', 'labels').key('a'),
      value: 'b',
      message: 'only the controller may',
    });
    expect(encodeResponse(aRequest(), deny('Forbidden', [posing])).response.status).toEqual({
      status: 'Failure',
      code: 403,
      reason: 'Forbidden',
      message: 'metadata.labels[a]: Forbidden: only the controller may',
    });
  });

  it('tells warnings beside the faults, not among them', () => {
    const { response } = encodeResponse(aRequest(), deny('Invalid', [NEGATIVE, asWarning(NAME)]));
    expect(response.status).toMatchObject({ details: { causes: [{ field: 'spec.worker.replicas' }] } });
    expect(response.warnings).toEqual(['metadata.name: Invalid value: "A": must be lower case']);
  });

  it('of an object without a name yet names the beginning of it', () => {
    const object = { metadata: { generateName: 'demo-' } };
    expect(denial([NAME], aRequest({ name: '', object })).details.name).toBe('demo-');
    expect(denial([NAME], aRequest({ name: '', object: { metadata: null } })).details.name).toBe('');
  });

  it('lists a hundred faults and says that there are more', () => {
    const faults = Array.from({ length: 120 }, (_, index) => fault('r', `f${index}`, index, 'is wrong'));
    const { message, details } = denial(faults);
    expect(details.causes).toHaveLength(101);
    expect(details.causes.at(-1)).toEqual({ field: 'spec', message: 'more findings are not listed' });
    expect(message).toMatch(/^f0: .*; f99: Invalid value: 99: is wrong; more findings are not listed$/);
  });

  it('stays small whatever the object calls its fields', () => {
    const long = fault('r', 'x'.repeat(1_000_000), 1, 'y'.repeat(1_000_000));
    expect(JSON.stringify(denial([long])).length).toBeLessThan(3_000);
  });

  it('lists a hundred faults, and of no more where there are none', () => {
    const faults = Array.from({ length: 100 }, (_, index) => fault('r', `f${index}`, index, 'is wrong'));
    expect(denial(faults).details.causes).toHaveLength(100);
    expect(denial(faults).message).toMatch(/is wrong$/);
  });

  it('cuts a long field and a long message at their ends, within no character', () => {
    const said = 'Invalid value: 1: ';
    const fill = (length: number): string => 'y'.repeat(length - said.length);
    const long = fault('r', `${'x'.repeat(510)}🎈y`, 1, `${fill(1022)}🎈z`);
    expect(denial([long]).details.causes).toMatchObject([
      { field: `${'x'.repeat(510)}…`, message: `${said}${fill(1022)}…` },
    ]);
    const whole = fault('r', 'x'.repeat(512), 1, fill(1024));
    expect(denial([whole]).details.causes).toMatchObject([
      { field: 'x'.repeat(512), message: `${said}${fill(1024)}` },
    ]);
  });
});

describe('warnings', () => {
  it('have fewer than 120 characters each, and keep every word', () => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
    const told = warnings([fault('r', 'spec.scheduler', undefined, words)]) ?? [];
    expect(told.every((text) => text.length < 120)).toBe(true);
    expect(told[0]).toMatch(/^spec\.scheduler: .* word\d+$/);
    expect(told.slice(1).every((text) => text.startsWith('… '))).toBe(true);
    expect(told.map((text) => text.replace('… ', '')).join(' ')).toMatch(new RegExp(`${words}$`));
  });

  it('begin with a word on what they stand for, where the object is only spared', () => {
    const spared = { ...allow([asWarning(fault('r', 'f', 1, 'is wrong'))]), spared: true };
    const { warnings: told, auditAnnotations } = encodeResponse(aRequest(), spared).response;
    expect(told).toEqual([
      'daskwarden only warns here; enforced, this would be refused:',
      'f: Invalid value: 1: is wrong',
    ]);
    expect(auditAnnotations).toEqual({ rules: 'r', spared: 'true' });
  });

  it('break a word that is longer than a line, but no character', () => {
    const told = warnings([fault('r', 'f', undefined, '🎈'.repeat(200))]) ?? [];
    expect(told.length).toBeGreaterThan(1);
    expect(told.every((text) => text.isWellFormed() && text.length < 120)).toBe(true);
  });

  it('break a word anywhere where its characters are of one unit', () => {
    const [first, second] = warnings([fault('r', 'f', 1, 'x'.repeat(200))])?.slice(1) ?? [];
    expect(first).toBe(`… ${'x'.repeat(117)}`);
    expect(second).toBe(`… ${'x'.repeat(83)}`);
  });

  it('have no control characters: the API server would drop them whole', () => {
    expect(warnings([fault('r', 'f', 1, 'a\n\tb\u0000\u0085c')])).toEqual(['f: Invalid value: 1: a b c']);
  });

  it('are each told once, and so many that the API server cuts none', () => {
    const many = Array.from({ length: 40 }, (_, index) => fault('r', `f${index}`, 1, 'is old'));
    const told = warnings([...many, ...many]);
    expect(told).toHaveLength(32);
    expect(told?.at(-1)).toBe('and 9 more warnings');
  });

  it('fit in their line to the last character, and are broken at the last space that fits', () => {
    const told = (message: string): unknown => warnings([fault('r', 'f', 1, message)]);
    const [fits, tooLong] = ['x'.repeat(98), 'x'.repeat(99)];
    expect(told(fits)).toEqual([`f: Invalid value: 1: ${fits}`]);
    expect(told(`${fits} y`)).toEqual([`f: Invalid value: 1: ${fits}`, '… y']);
    expect(told(`${tooLong} y`)).toEqual(['f: Invalid value: 1:', `… ${tooLong} y`]);
  });

  it('are 32 at most, the last of them whole', () => {
    const many = (count: number): readonly string[] =>
      warnings(Array.from({ length: count }, (_, index) => fault('r', `f${index}`, 1, 'is old'))) ?? [];
    expect(many(32).at(-1)).toBe('f31: Invalid value: 1: is old');
    expect(many(33)).toHaveLength(32);
    expect(many(33).at(-1)).toBe('and 2 more warnings');
  });
});
