import { invalid, required, type Finding } from '../findings.ts';
import { typeMessage, unknownFieldMessage } from './messages.ts';
import { DEEPEST, isDeeperThan } from './json.ts';
import { fieldPathOf, segmentsOf, valueAt } from './place.ts';
import type { StructuralError } from './validator.ts';

export const STRUCTURE = 'structure';
export const UNKNOWN_FIELD = 'unknown-field';

/** The finding for one structural error, with the path in the object as it was written. */
export function structuralFinding(object: unknown, error: StructuralError): Finding {
  const segments = segmentsOf(error.instancePath);
  switch (error.keyword) {
    case 'closed':
      return unknownField(object, [...segments, error.params.field ?? ''], error);
    case 'required':
      return missingField(object, [...segments, error.params.missingProperty ?? '']);
    case 'minimum':
    case 'maximum':
      return outOfRange(object, segments, error);
    case 'enum':
      return unsupportedValue(object, segments, error);
    case 'type':
    case 'textOr':
    case 'nullMeans':
      return wrongType(object, segments, error);
  }
}

function wrongType(object: unknown, segments: readonly string[], error: StructuralError): Finding {
  const value = valueAt(object, segments);
  return {
    rule: STRUCTURE,
    level: 'error',
    reason: 'FieldValueTypeInvalid',
    path: fieldPathOf(object, segments),
    value: comparable(value),
    message: typeMessage(error, value, segments.at(-1) ?? ''),
  };
}

function outOfRange(object: unknown, segments: readonly string[], error: StructuralError): Finding {
  const comparison = error.keyword === 'minimum' ? 'greater' : 'less';
  return invalid({
    rule: STRUCTURE,
    path: fieldPathOf(object, segments),
    value: valueAt(object, segments),
    message: `must be ${comparison} than or equal to ${error.params.limit ?? 0}`,
  });
}

function unsupportedValue(object: unknown, segments: readonly string[], error: StructuralError): Finding {
  const supported = (error.params.allowedValues ?? []).map((value) => JSON.stringify(value));
  return {
    rule: STRUCTURE,
    level: 'error',
    reason: 'FieldValueNotSupported',
    path: fieldPathOf(object, segments),
    value: valueAt(object, segments),
    message: `Unsupported value: supported values: ${supported.join(', ')}`,
  };
}

function missingField(object: unknown, segments: readonly string[]): Finding {
  return required({
    rule: STRUCTURE,
    path: fieldPathOf(object, segments),
    message: REQUIRED[segments.at(-1) ?? ''] ?? 'must be given',
  });
}

const REQUIRED: Readonly<Record<string, string>> = {
  name: 'every entry must have a name of its own',
  spec: 'must be given, in one of the two forms',
  template: 'a pod template must be given',
};

function unknownField(object: unknown, segments: readonly string[], error: StructuralError): Finding {
  return {
    rule: UNKNOWN_FIELD,
    level: isOnlyWarning(error) ? 'warning' : 'error',
    reason: 'FieldValueInvalid',
    path: fieldPathOf(object, segments),
    value: comparable(valueAt(object, segments)),
    message: unknownFieldMessage(error),
  };
}

/** What an operator adds to dask-gateway's configuration is his own affair: an unknown key there is only told. */
export function isOnlyWarning({ keyword, instancePath }: StructuralError): boolean {
  return keyword === 'closed' && instancePath === '/spec/config';
}

/** The value, where comparing it with an older one cannot overflow the stack. */
function comparable(value: unknown): unknown {
  return isDeeperThan(value, DEEPEST) ? undefined : value;
}
