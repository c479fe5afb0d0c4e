import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../src/api/field-path.ts';
import { asWarning, type Finding, invalid } from '../../../src/core/findings.ts';
import { allow, decisionOf, deny } from '../../../webhooks/decision.ts';

function fault(rule: string): Finding {
  return invalid({ rule, path: FieldPath.of('spec'), value: 1, message: 'is wrong' });
}

const STRUCTURE = fault('structure');

describe('a decision', () => {
  it('on nothing is an allowance without a patch', () => {
    expect(allow()).toEqual({ allowed: true, findings: [], patch: [] });
    expect(decisionOf([], [])).toEqual(allow());
  });

  it.each(['limits', 'namespace-rules', 'placement', 'reach', 'requested-by', 'posing', 'connect'])(
    'on %s alone is Forbidden: the object is not wrong',
    (rule) => {
      const found = [fault(rule), asWarning(STRUCTURE)];
      expect(decisionOf(found, found)).toEqual(deny('Forbidden', found));
    },
  );

  it.each(['structure', 'pod-validation', 'pod-security', 'scale', 'no-verdict'])(
    'on %s is Invalid, also beside what is forbidden',
    (rule) => {
      const found = [fault('limits'), fault(rule)];
      expect(decisionOf(found, found)).toEqual({ allowed: false, reason: 'Invalid', findings: found });
    },
  );

  it('on warnings is an allowance with them', () => {
    const found = [asWarning(STRUCTURE)];
    expect(decisionOf(found, found)).toEqual({ allowed: true, findings: found, patch: [] });
  });

  it('on errors that are only warned of is an allowance that spares the object', () => {
    expect(decisionOf([asWarning(STRUCTURE)], [STRUCTURE])).toMatchObject({ allowed: true, spared: true });
    // Switched off: nothing is told, and yet it would be refused.
    expect(decisionOf([], [asWarning(STRUCTURE), STRUCTURE])).toEqual({ ...allow(), spared: true });
  });

  it('on a warning that became an error is a denial', () => {
    expect(decisionOf([STRUCTURE], [asWarning(STRUCTURE)])).toEqual(deny('Invalid', [STRUCTURE]));
  });
});
