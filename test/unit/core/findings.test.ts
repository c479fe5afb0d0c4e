import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../src/api/field-path.ts';
import {
  asWarning,
  cut,
  duplicate,
  forbidden,
  format,
  invalid,
  required,
} from '../../../src/core/findings.ts';

const path = FieldPath.of('spec', 'worker', 'replicas');
const detail = { rule: 'some-rule', path, value: -1, message: 'must be greater than or equal to 0' };

describe('findings', () => {
  it.each([
    [invalid(detail), 'FieldValueInvalid', 'Invalid value: -1: must be greater than or equal to 0'],
    [duplicate(detail), 'FieldValueDuplicate', 'Duplicate value: -1: must be greater than or equal to 0'],
    [forbidden(detail), 'FieldValueForbidden', 'Forbidden: must be greater than or equal to 0'],
    [required(detail), 'FieldValueRequired', 'Required value: must be greater than or equal to 0'],
  ])('are errors in the words of Kubernetes: %#', (finding, reason, message) => {
    expect(finding).toMatchObject({ rule: 'some-rule', level: 'error', reason, message });
    expect(format(finding)).toBe(`spec.worker.replicas: ${message}`);
  });

  it.each([
    ['text', '"text"'],
    [1.5, '1.5'],
    [true, 'true'],
    [{ a: [1] }, '{"a":[1]}'],
    [null, 'null'],
    [undefined, 'null'],
    ['a"b', '"a\\"b"'],
  ])('quote %j as JSON', (value, quoted) => {
    expect(invalid({ ...detail, value }).message).toBe(`Invalid value: ${quoted}: ${detail.message}`);
  });

  it('cut a value that is long, but keep it whole for comparison', () => {
    const value = 'x'.repeat(10_000);
    const finding = invalid({ ...detail, value });
    expect(finding.message).toBe(`Invalid value: "${'x'.repeat(119)}…: ${detail.message}`);
    expect(finding.value).toBe(value);
  });

  it('never cut within a character', () => {
    const text = `${'x'.repeat(119)}🎈🎈`;
    expect(cut(text).isWellFormed()).toBe(true);
    expect(cut(text)).toMatch(/^x{119}.…$/u);
    expect(cut('x'.repeat(120))).toBe('x'.repeat(120));
  });

  it('become warnings, once', () => {
    const warning = asWarning(invalid(detail));
    expect(warning).toEqual({ ...invalid(detail), level: 'warning' });
    expect(asWarning(warning)).toBe(warning);
  });
});
