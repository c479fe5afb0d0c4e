import type { StructuralError } from './validator.ts';
import { nearestName } from './nearest-name.ts';
import { printable } from './place.ts';

/** More known names than this are no help in a message. */
const MOST_NAMES = 12;

/**
 * Says of a value what type it has and which one must be there, as the API server says it, and what to write. The
 * value itself is not shown: it may be a password.
 */
export function typeMessage(error: StructuralError, value: unknown, field: string): string {
  const expected = error.params.type ?? '';
  const actual = typeOf(value);
  const must = error.keyword === 'textOr' ? TEXT_OR[expected] : `must be of type ${expected}`;
  const hint = error.keyword === 'textOr' ? undefined : hintOf(expected, actual, { field, value });
  return `Invalid value: "${actual}": ${must ?? ''}${hint === undefined ? '' : `: ${hint}`}`;
}

const TEXT_OR: Readonly<Record<string, string>> = {
  number: 'must be a quantity: a number, or text such as "500m" or "2Gi"',
  integer: 'must be of type integer or string',
};

interface Written {
  readonly field: string;
  readonly value: unknown;
}

function hintOf(expected: string, actual: string, { field, value }: Written): string | undefined {
  switch (expected) {
    case 'boolean':
      return actual === 'string' ? 'write true or false without quotes' : 'write true or false';
    case 'string':
      return actual === 'object' || actual === 'array' ? undefined : 'put the value in quotes';
    case 'integer':
      if (actual === 'number') return 'write a whole number';
      return numberHint(value);
    case 'number':
      return numberHint(value);
    case 'array':
      return listHint(actual, field);
    case 'object':
      return objectHint(actual, field);
    default:
      return undefined;
  }
}

function numberHint(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value));
  return isNumber ? 'write the number without quotes' : 'write a number';
}

function listHint(actual: string, field: string): string | undefined {
  if (field === 'env') return 'write a list of {name, value} entries';
  if (field === 'args' || field === 'command') return 'write a list of strings, one for each argument';
  return actual === 'object' ? "write a list: each entry starts with '- '" : 'write a list';
}

function objectHint(actual: string, field: string): string | undefined {
  if (field === 'template' && actual === 'string') {
    return 'write the pod template as an object, not as a string';
  }
  if (actual === 'string') return 'write an object with its fields, not a string';
  return actual === 'array' ? 'write one object, not a list' : undefined;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

export function unknownFieldMessage({ params: { field = '', known = new Set() } }: StructuralError): string {
  const unknown = `unknown field "${printable(field)}"`;
  const nearest = nearestName(field, known);
  if (nearest !== undefined) return `${unknown}: did you mean "${nearest}"?`;
  return known.size <= MOST_NAMES ? `${unknown}: possible here: ${[...known].join(', ')}` : unknown;
}
