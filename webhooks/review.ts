import type { Requester } from '../src/core/identity/requester.ts';
import { isObject, type JsonObject } from '../src/core/structure/json.ts';

/** The body is not an AdmissionReview that this service can answer. The API server sees HTTP 400: a failed call. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
  readonly statusCode = 400;
}

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The request of an AdmissionReview v1, checked; `object` and `oldObject` are as they came over the wire. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: GroupVersionKind;
  /** Empty where the request is for the object itself. */
  readonly subResource: string;
  readonly operation: Operation;
  readonly namespace: string;
  /** Empty on a create by `generateName`. */
  readonly name: string;
  readonly requester: Requester;
  readonly dryRun: boolean;
  /** Absent on DELETE. */
  readonly object: JsonObject | undefined;
  /** Present on UPDATE and DELETE. */
  readonly oldObject: JsonObject | undefined;
}

const API_VERSION = 'admission.k8s.io/v1';
const OPERATIONS: ReadonlySet<string> = new Set<Operation>(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);
/** The API server's are UUIDs of 36 characters; ours is repeated in logs and in every answer. */
const LONGEST_UID = 128;
/** Of names, which log lines repeat: far above what Kubernetes allows, and below what would fill a disk. */
const LONGEST_NAME = 4096;

/** @throws {BadRequest} naming the field that is wrong */
export function parseReview(body: unknown): AdmissionRequest {
  if (!isObject(body)) throw new BadRequest('the body must be one JSON object, an AdmissionReview');
  if (body['kind'] !== 'AdmissionReview') {
    throw new BadRequest(`kind must be AdmissionReview, not ${shown(body['kind'])}`);
  }
  if (body['apiVersion'] !== API_VERSION) {
    throw new BadRequest(
      `apiVersion must be ${API_VERSION}, not ${shown(body['apiVersion'])}: ` +
        'register the webhook with admissionReviewVersions: ["v1"]',
    );
  }
  const request = body['request'];
  if (!isObject(request)) throw new BadRequest('request must be an object');
  return {
    uid: parseUid(request['uid']),
    kind: parseKind(request['kind']),
    subResource: optionalString(request, 'subResource'),
    operation: parseOperation(request['operation']),
    namespace: optionalString(request, 'namespace'),
    name: optionalString(request, 'name'),
    requester: parseRequester(request['userInfo']),
    dryRun: request['dryRun'] === true,
    object: optionalObject(request, 'object'),
    oldObject: optionalObject(request, 'oldObject'),
  };
}

function parseUid(uid: unknown): string {
  if (typeof uid !== 'string' || uid === '' || uid.length > LONGEST_UID) {
    throw new BadRequest(`request.uid must be a string of 1 to ${LONGEST_UID} characters`);
  }
  return uid;
}

function parseKind(kind: unknown): GroupVersionKind {
  if (!isObject(kind) || !kind['kind']) {
    throw new BadRequest('request.kind must be an object with group, version and kind');
  }
  return {
    group: optionalString(kind, 'group', 'request.kind.'),
    version: optionalString(kind, 'version', 'request.kind.'),
    kind: optionalString(kind, 'kind', 'request.kind.'),
  };
}

function parseOperation(operation: unknown): Operation {
  if (!isOperation(operation)) {
    throw new BadRequest(`request.operation must be one of ${[...OPERATIONS].join(', ')}`);
  }
  return operation;
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'string' && OPERATIONS.has(value);
}

function parseRequester(userInfo: unknown): Requester {
  const info = userInfo ?? {};
  if (!isObject(info)) throw new BadRequest('request.userInfo must be an object');
  return {
    username: optionalString(info, 'username', 'request.userInfo.'),
    uid: optionalString(info, 'uid', 'request.userInfo.'),
    groups: strings(info['groups'], 'request.userInfo.groups'),
    extra: parseExtra(info['extra']),
  };
}

function parseExtra(extra: unknown): Requester['extra'] {
  const entries = extra ?? {};
  if (!isObject(entries)) throw new BadRequest('request.userInfo.extra must be an object');
  return Object.fromEntries(
    Object.entries(entries).map(([key, values]) => [key, strings(values, 'request.userInfo.extra')]),
  );
}

function strings(value: unknown, field: string): readonly string[] {
  const list: unknown = value ?? [];
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string')) {
    throw new BadRequest(`${field} must be a list of strings`);
  }
  return list;
}

function optionalString(parent: JsonObject, field: string, prefix = 'request.'): string {
  const value = parent[field] ?? '';
  if (typeof value !== 'string' || value.length > LONGEST_NAME) {
    throw new BadRequest(`${prefix}${field} must be a string of at most ${LONGEST_NAME} characters`);
  }
  return value;
}

function optionalObject(request: JsonObject, field: string): JsonObject | undefined {
  const value = request[field] ?? undefined;
  if (value !== undefined && !isObject(value)) throw new BadRequest(`request.${field} must be an object`);
  return value;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 64)) : `a value of type ${typeof value}`;
}
