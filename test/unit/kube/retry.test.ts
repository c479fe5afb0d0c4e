import { expect, test } from 'vitest';
import { ApiError, TransportError } from '../../../src/kube/errors.ts';
import { retryDelayMs } from '../../../src/kube/retry.ts';

const call = { method: 'ANY', path: '/' };
const methods = ['GET', 'PUT', 'PATCH', 'DELETE', 'POST'];

function repeated(error: unknown): string[] {
  return methods.filter((method) => retryDelayMs(method, error, 1, 0) !== undefined);
}

test.each([
  ['429 with Retry-After', new ApiError(call, 429, {}, 1_000), methods],
  ['503 with Retry-After', new ApiError(call, 503, {}, 1_000), methods],
  ['429 without', new ApiError(call, 429, {}), []],
  ['503 without', new ApiError(call, 503, {}), []],
  ['500 with Retry-After: it may have been done', new ApiError(call, 500, {}, 1_000), []],
  ['409', new ApiError(call, 409, {}), []],
  ['nothing sent', new TransportError(call, 'not-sent', 'x'), ['GET', 'PUT', 'PATCH', 'DELETE']],
  ['unknown outcome', new TransportError(call, 'unknown', 'x'), ['GET']],
  ['a fault of our own', new TypeError('x'), []],
])('%s', (_, error, expected) => {
  expect(repeated(error)).toEqual(expected);
});

test('waits at least as long as asked, spread over a quarter more', () => {
  const error = new ApiError(call, 429, {}, 4_000);
  expect([0, 0.5, 1].map((jitter) => retryDelayMs('GET', error, 1, jitter))).toEqual([4_000, 4_500, 5_000]);
});

test('waits longer each time after a failed connection', () => {
  const error = new TransportError(call, 'not-sent', 'x');
  expect([1, 2, 3, 4].map((attempt) => retryDelayMs('GET', error, attempt, 1))).toEqual([100, 200, 400, 800]);
});

test('gives up after five attempts', () => {
  expect(retryDelayMs('GET', new ApiError(call, 429, {}, 0), 5, 0)).toBeUndefined();
});
