import { type Finding, format } from '../src/core/findings.ts';
import { isObject } from '../src/core/structure/json.ts';
import type { Decision, Denied } from './decision.ts';
import type { AdmissionRequest } from './review.ts';

/**
 * The API server drops a warning with control characters, and past 4096 runes in all it cuts every warning to 256:
 * 16 of 250 stay below.
 */
const LONGEST_WARNING = 250;
const MOST_WARNINGS = 16;
/** One line of kubectl each; a manifest with thousands of faults has one cause, and nobody reads further. */
const MOST_CAUSES = 100;
const LONGEST_FIELD = 512;
const LONGEST_CAUSE = 1024;
const STATUS_CODE = { Invalid: 422, Forbidden: 403 } as const;

// eslint-disable-next-line no-control-regex -- control characters are what is searched for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]+/g;

interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: object;
  readonly patchType?: 'JSONPatch';
  /** Base64 of the JSON text. */
  readonly patch?: string;
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

export interface AdmissionReviewResponse {
  readonly apiVersion: 'admission.k8s.io/v1';
  readonly kind: 'AdmissionReview';
  readonly response: AdmissionResponse;
}

/**
 * The answer as the API server's v1 rules want it: the request's uid, patch and patchType together or neither.
 * The only audit annotation is `rules`: the identifiers of the rules that found something, sorted, comma-separated.
 */
export function encodeResponse(request: AdmissionRequest, decision: Decision): AdmissionReviewResponse {
  const warnings = encodeWarnings(decision.findings.filter((finding) => finding.level === 'warning'));
  const rules = ruleIds(decision.findings);
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid: request.uid,
      allowed: decision.allowed,
      ...(decision.allowed ? encodePatch(decision.patch) : { status: encodeDenial(request, decision) }),
      ...(warnings.length > 0 && { warnings }),
      ...(rules.length > 0 && { auditAnnotations: { rules: rules.join(',') } }),
    },
  };
}

/** The identifiers of the rules that found something, sorted, each once. */
export function ruleIds(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map((finding) => finding.rule))].sort();
}

function encodePatch(patch: readonly unknown[]): Pick<AdmissionResponse, 'patch' | 'patchType'> {
  // A patchType without a patch fails the call.
  if (patch.length === 0) return {};
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
}

function encodeDenial(request: AdmissionRequest, denied: Denied): object {
  const errors = denied.findings.filter((finding) => finding.level === 'error');
  const shown = errors.slice(0, MOST_CAUSES);
  // Without a number: one of those that are left out may be a count itself.
  const tail = errors.length > shown.length ? ['more findings are not listed'] : [];
  const message = [...shown.map((finding) => cut(format(finding), LONGEST_CAUSE)), ...tail].join('; ');
  const status = { status: 'Failure', code: STATUS_CODE[denied.reason], reason: denied.reason, message };
  // kubectl prints one line per cause, and only for the reason Invalid; a policy's denial is its message.
  if (denied.reason === 'Forbidden') return status;
  const causes = shown.map((finding) => ({
    reason: finding.reason,
    field: cut(finding.path.toString(), LONGEST_FIELD),
    message: cut(finding.message, LONGEST_CAUSE),
  }));
  return {
    ...status,
    details: {
      group: request.kind.group,
      kind: request.kind.kind,
      name: objectName(request),
      // kubectl prints the field of each, also where there is none.
      causes: [...causes, ...tail.map((text) => ({ field: 'spec', message: text }))],
    },
  };
}

function encodeWarnings(findings: readonly Finding[]): string[] {
  const texts = findings.map((finding) => cut(format(finding), LONGEST_WARNING));
  const distinct = [...new Set(texts)];
  if (distinct.length <= MOST_WARNINGS) return distinct;
  const shown = distinct.slice(0, MOST_WARNINGS - 1);
  return [...shown, `and ${distinct.length - shown.length} more warnings`];
}

/** A create by `generateName` has no name yet. */
function objectName(request: AdmissionRequest): string {
  if (request.name !== '') return request.name;
  const metadata = request.object?.['metadata'];
  const generateName = isObject(metadata) ? metadata['generateName'] : undefined;
  return typeof generateName === 'string' ? cut(generateName, LONGEST_FIELD) : '';
}

/** One line of at most `longest` UTF-16 units that never ends within a character. */
function cut(text: string, longest: number): string {
  const line = text.replace(CONTROL_CHARACTERS, ' ');
  if (line.length <= longest) return line;
  return `${line.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
