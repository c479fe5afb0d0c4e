import type { FieldPath } from '../api/field-path.ts';

export type Level = 'error' | 'warning';

/** The `reason` of a cause in a Kubernetes Status, as the API server's own validation uses it. */
export type CauseReason =
  | 'FieldValueInvalid'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTypeInvalid';

/** One thing that is wrong, or will surprise, at one place of an object. */
export interface Finding {
  readonly level: Level;
  /** Identifier of the rule, stable over releases: metrics and documentation refer to it. */
  readonly rule: string;
  readonly path: FieldPath;
  readonly reason: CauseReason;
  /** Says what is wrong and what is possible. Never contains the value of an environment variable. */
  readonly message: string;
  /** The value at the path, for comparison with an older version of the object; never printed. */
  readonly value: unknown;
  /** The stored object has it too, so that an update is not refused for it. */
  readonly stored?: true;
}

interface Detail {
  readonly rule: string;
  readonly path: FieldPath;
  readonly value: unknown;
  readonly message: string;
}

/** A value that its field does not admit. The message is prefixed with the value, as Kubernetes does it. */
export function invalid(detail: Detail): Finding {
  return {
    ...detail,
    level: 'error',
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${quote(detail.value)}: ${detail.message}`,
  };
}

export function duplicate(detail: Detail): Finding {
  return {
    ...detail,
    level: 'error',
    reason: 'FieldValueDuplicate',
    message: `Duplicate value: ${quote(detail.value)}: ${detail.message}`,
  };
}

/** A field that may not be set here by anyone but daskwarden, whatever its value. */
export function forbidden(detail: Detail): Finding {
  return {
    ...detail,
    level: 'error',
    reason: 'FieldValueForbidden',
    message: `Forbidden: ${detail.message}`,
  };
}

export function required(detail: Omit<Detail, 'value'>): Finding {
  return {
    ...detail,
    value: undefined,
    level: 'error',
    reason: 'FieldValueRequired',
    message: `Required value: ${detail.message}`,
  };
}

/** What is admitted and will surprise. Short, for `kubectl` cuts long warnings: no value before the message. */
export function warning(detail: Detail): Finding {
  return { ...detail, level: 'warning', reason: 'FieldValueInvalid' };
}

export function asWarning(finding: Finding): Finding {
  return finding.level === 'warning' ? finding : { ...finding, level: 'warning' };
}

/** A finding on one line: `spec.worker.replicas: Invalid value: -1: must be greater than or equal to 0`. */
export function format(finding: Finding): string {
  return `${finding.path.toString()}: ${finding.message}`;
}

const LONGEST_QUOTE = 120;

/** A value as it stands in a message: JSON, cut where it is long. */
function quote(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  return cut(text ?? 'null');
}

/** A text of the user's as it stands in a message: cut where it is long, but never within a character. */
export function cut(text: string): string {
  return text.length <= LONGEST_QUOTE ? text : `${text.slice(0, LONGEST_QUOTE).toWellFormed()}…`;
}
