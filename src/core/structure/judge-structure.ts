import type { DaskCluster } from '../../api/dask-cluster.ts';
import { FieldPath } from '../../api/field-path.ts';
import { required, type Finding } from '../findings.ts';
import { Draft } from './draft.ts';
import { judgeForm, judgeWorkerTemplate } from './form.ts';
import { isObject, type JsonObject } from './json.ts';
import { segmentsOf, valueAt } from './place.ts';
import { oversizedParts } from './size.ts';
import { isOnlyWarning, STRUCTURE, structuralFinding } from './structural-finding.ts';
import { structuralErrors, type StructuralError } from './validator.ts';

/** More findings than these are counted, not listed. */
const MOST_FINDINGS = 100;

export interface Structure {
  readonly findings: readonly Finding[];
  /**
   * The object without its unsound parts: every field that is there has its declared type. A field that is null or of
   * another type is left out; an item of a list that is, is the empty value of its type, so that indices stay.
   */
  readonly sound: DaskCluster;
}

/**
 * Judges the form, the types and the names of the fields of what may be a DaskCluster. Takes anything at all; the time
 * is linear in its size. The status is the controller's: nothing is said of it, but what is unsound is left out.
 */
export function judgeStructure(object: unknown): Structure {
  if (!isObject(object)) {
    const error: StructuralError = { instancePath: '', keyword: 'type', params: { type: 'object' } };
    return { findings: [structuralFinding(object, error)], sound: { metadata: {}, spec: {} } };
  }
  const draft = new Draft(object);
  const oversized = oversizedParts(object);
  for (const { segments } of oversized) draft.replace(segments, {});
  const errors = withoutNulls(draft);
  const faults = errors.filter((error) => isTold(object, error));
  for (const error of errors) leaveOut(draft, error);
  for (const { segments } of oversized) if (segments.at(-1) === 'template') draft.drop(segments, {});
  const findings = [
    ...oversized.map(({ finding }) => finding),
    ...judgeName(object['metadata']),
    ...judgeParts(object['spec']),
    ...listed(object, faults),
  ];
  return { findings, sound: withParts(draft.value as JsonObject) };
}

/**
 * The same without its nulls and without what is not of its declared type, as in {@link Structure.sound}. For parts of
 * an object that was judged: their size is taken as given.
 */
export function soundPartOf(object: JsonObject): JsonObject {
  const draft = new Draft(object);
  for (const error of withoutNulls(draft)) leaveOut(draft, error);
  return draft.value as JsonObject;
}

/** Takes the nulls out that mean "not set", puts in what the others stand for, and returns the errors that remain. */
function withoutNulls(draft: Draft): readonly StructuralError[] {
  const errors = structuralErrors(draft.value);
  const before = draft.value;
  let nulls = 0;
  for (const error of errors) {
    if (!isTypeError(error)) continue;
    const segments = segmentsOf(error.instancePath);
    if (valueAt(before, segments) !== null) continue;
    nulls += 1;
    if (error.keyword === 'nullMeans') draft.replace(segments, structuredClone(error.params.zero));
    else draft.drop(segments, emptyOf(error));
  }
  return nulls === 0 ? errors : structuralErrors(draft.value);
}

function leaveOut(draft: Draft, error: StructuralError): void {
  const segments = segmentsOf(error.instancePath);
  if (error.keyword === 'closed') draft.drop([...segments, error.params.field ?? ''], {});
  else if (isTypeError(error)) draft.drop(segments, emptyOf(error));
}

function isTypeError({ keyword }: StructuralError): boolean {
  return keyword === 'type' || keyword === 'textOr' || keyword === 'nullMeans';
}

function emptyOf({ params: { type } }: StructuralError): unknown {
  switch (type) {
    case 'object':
      return {};
    case 'array':
      return [];
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return 0;
    default:
      return '';
  }
}

/** Nothing is said of the status, and of a wrong type only that: it cannot be one of the allowed texts either. */
function isTold(object: JsonObject, { instancePath, keyword }: StructuralError): boolean {
  if (instancePath === '/status' || instancePath.startsWith('/status/')) return false;
  return keyword !== 'enum' || typeof valueAt(object, segmentsOf(instancePath)) === 'string';
}

function judgeName(metadata: unknown): readonly Finding[] {
  const given = (name: string): boolean => isObject(metadata) && Boolean(metadata[name]);
  if (given('name') || given('generateName')) return [];
  const path = FieldPath.of('metadata', 'name');
  return [required({ rule: STRUCTURE, path, message: 'name or generateName is required' })];
}

function judgeParts(spec: unknown): readonly Finding[] {
  return isObject(spec) ? [...judgeForm(spec), ...judgeWorkerTemplate(spec)] : [];
}

/** Findings for the first errors, those that deny before the others, and one finding that counts the rest. */
function listed(object: JsonObject, errors: readonly StructuralError[]): readonly Finding[] {
  const denying = errors.filter((error) => !isOnlyWarning(error));
  const ordered = [...denying, ...errors.filter(isOnlyWarning)];
  const findings = ordered.slice(0, MOST_FINDINGS).map((error) => structuralFinding(object, error));
  const more = ordered.length - findings.length;
  if (more === 0) return findings;
  const rest: Finding = {
    rule: STRUCTURE,
    level: denying.length > MOST_FINDINGS ? 'error' : 'warning',
    reason: 'FieldValueInvalid',
    path: FieldPath.of('spec'),
    value: undefined,
    message: `${more} more findings are not listed`,
  };
  return [...findings, rest];
}

/** What is left, with the two parts that every DaskCluster has. */
function withParts(sound: JsonObject): DaskCluster {
  const { metadata, spec } = sound;
  const whole =
    isObject(metadata) && isObject(spec) ? sound : { ...sound, metadata: metadata ?? {}, spec: spec ?? {} };
  return whole as unknown as DaskCluster;
}
