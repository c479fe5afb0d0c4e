import { expect, test } from 'vitest';
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isThrottled,
  TransportError,
} from '../../../src/kube/errors.ts';

const call = { method: 'GET', path: '/api/v1/pods' };
const predicates = { isAlreadyExists, isConflict, isForbidden, isGone, isInvalid, isNotFound, isThrottled };

test.each([
  ['isConflict', 409, 'Conflict'],
  ['isAlreadyExists', 409, 'AlreadyExists'],
  ['isNotFound', 404, 'NotFound'],
  ['isGone', 410, 'Gone'],
  ['isGone', 410, 'Expired'],
  ['isInvalid', 422, 'Invalid'],
  ['isForbidden', 403, 'Forbidden'],
  ['isThrottled', 429, 'TooManyRequests'],
])('only %s recognizes %i %s', (name, code, reason) => {
  const error = new ApiError(call, code, { reason });
  const matching = Object.entries(predicates).filter(([, matches]) => matches(error));
  expect(matching.map(([predicate]) => predicate)).toEqual([name]);
});

test('a 503 is only a throttle when it says when to come back', () => {
  expect(isThrottled(new ApiError(call, 503, {}))).toBe(false);
  expect(isThrottled(new ApiError(call, 503, {}, 1_000))).toBe(true);
});

test('no predicate takes another error for its own', () => {
  for (const other of [undefined, new Error('404'), new TransportError(call, 'unknown', new Error('x'))]) {
    expect(Object.values(predicates).some((matches) => matches(other))).toBe(false);
  }
});

test('the wait that the Status asks for counts where no header does', () => {
  expect(new ApiError(call, 429, { details: { retryAfterSeconds: 3 } }).retryAfterMs).toBe(3_000);
  expect(new ApiError(call, 429, { details: { retryAfterSeconds: 3 } }, 1_000).retryAfterMs).toBe(1_000);
});

test('a failed connection to every address of a host says why', () => {
  const cause = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
  expect(new TransportError(call, 'not-sent', cause).message).toBe('GET /api/v1/pods: ECONNREFUSED');
});
