import { type Finding, format } from '../src/core/findings.ts';
import { isObject } from '../src/core/structure/json.ts';
import type { Decision, Denied } from './decision.ts';
import type { AdmissionRequest } from './review.ts';

/** The API server asks for at most 120 characters: a longer one goes on in the next. */
const LONGEST_WARNING = 119;
/** It drops a warning with control characters, and cuts every warning when they have more than 4096 runes in all. */
const MOST_WARNINGS = 32;
const CONTINUED = '… ';
const SPARED = 'daskwarden only warns here; enforced, this would be refused:';
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
 * Audit annotations: `rules`, the identifiers of the rules that found something, sorted, comma-separated; `spared` where
 * it would have been refused; `correlation`, by which the controller's words on the object are found.
 */
export function encodeResponse(request: AdmissionRequest, decision: Decision): AdmissionReviewResponse {
  const warnings = encodeWarnings(decision);
  const audit = auditAnnotations(decision);
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid: request.uid,
      allowed: decision.allowed,
      ...(decision.allowed ? encodePatch(decision.patch) : { status: encodeDenial(request, decision) }),
      ...(warnings.length > 0 && { warnings }),
      ...(audit !== undefined && { auditAnnotations: audit }),
    },
  };
}

function auditAnnotations(decision: Decision): Readonly<Record<string, string>> | undefined {
  const rules = ruleIds(decision.findings);
  const { correlation } = decision;
  if (rules.length === 0 && correlation === undefined) return undefined;
  return {
    ...(rules.length > 0 && { rules: rules.join(',') }),
    ...(decision.allowed && decision.spared === true && { spared: 'true' }),
    ...(correlation !== undefined && { correlation }),
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

function encodeWarnings(decision: Decision): string[] {
  const findings = decision.findings.filter(({ level }) => level === 'warning');
  const told = findings.map((finding) => cut(format(finding), LONGEST_CAUSE));
  const isSpared = decision.allowed && decision.spared === true;
  const distinct = [...new Set([...(isSpared ? [SPARED] : []), ...told])];
  const lines: string[] = [];
  for (const [index, text] of distinct.entries()) {
    const wrapped = wrap(text);
    const isLast = index === distinct.length - 1;
    if (lines.length + wrapped.length > MOST_WARNINGS - (isLast ? 0 : 1)) {
      return [...lines, `and ${distinct.length - index} more warnings`];
    }
    lines.push(...wrapped);
  }
  return lines;
}

/** Lines of at most {@link LONGEST_WARNING} units, broken at spaces where there are any; every word is kept. */
function wrap(text: string): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > LONGEST_WARNING) {
    const space = rest.lastIndexOf(' ', LONGEST_WARNING);
    // A space within the mark of a continued line would break nothing off.
    const end = space > CONTINUED.length ? space : wholeCharacters(rest, LONGEST_WARNING);
    lines.push(rest.slice(0, end));
    rest = CONTINUED + rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

/** The longest end up to `most` that is not within a character of two units. */
function wholeCharacters(text: string, most: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most;
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
