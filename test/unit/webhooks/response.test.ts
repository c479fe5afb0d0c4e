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

  it('break a word that is longer than a line, but no character', () => {
    const told = warnings([fault('r', 'f', undefined, '🎈'.repeat(200))]) ?? [];
    expect(told.length).toBeGreaterThan(1);
    expect(told.every((text) => text.isWellFormed() && text.length < 120)).toBe(true);
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
});
