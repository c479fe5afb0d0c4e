import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../../../src/core/lifecycle/backoff.ts';

const backoff = { baseMs: 1_000, maxMs: 60_000, resetMs: 600_000 };

describe('backoffMs', () => {
  it.each([
    [-1, 1_000],
    [0, 1_000],
    [1, 2_000],
    [5, 32_000],
    [6, 60_000],
    [1_000, 60_000],
    [Number.MAX_SAFE_INTEGER, 60_000],
    [Number.POSITIVE_INFINITY, 60_000],
  ])('after %d failures is %d ms', (failures, delay) => {
    expect(backoffMs(backoff, failures)).toBe(delay);
  });

  it('is finite however large the maximum', () => {
    expect(backoffMs({ ...backoff, maxMs: Number.POSITIVE_INFINITY }, 5_000)).toBe(1_000 * 2 ** 30);
  });

  it('is the maximum where the base is above it', () => {
    expect(backoffMs({ ...backoff, baseMs: 90_000 }, 0)).toBe(60_000);
  });
});
