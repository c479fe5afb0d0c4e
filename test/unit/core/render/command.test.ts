import { describe, expect, it } from 'vitest';
import { leavesCommand, workerArgs } from '../../../../src/core/render/command.ts';

const owner = { name: 'demo', namespace: 'team-a', uid: 'u' };

function optionOf(option: string, limits?: Readonly<Record<string, unknown>>): string | undefined {
  const container = {
    name: 'dask',
    ...(limits && { resources: { limits: limits as Record<string, string> } }),
  };
  const args = workerArgs(container, owner);
  return args[args.indexOf(option) + 1];
}

describe('--nthreads', () => {
  it.each([
    ['1', '1'],
    ['4', '4'],
    ['2500m', '3'],
    ['0.5', '1'],
    ['1m', '1'],
    [2, '2'],
    [1.5, '2'],
    ['0', '1'],
    ['-1', '1'],
    ['two', '1'],
    [undefined, '1'],
  ])('for a CPU limit of %j is %s', (cpu, threads) => {
    expect(optionOf('--nthreads', cpu === undefined ? {} : { cpu })).toBe(threads);
    expect(optionOf('--nthreads')).toBe('1');
  });
});

describe('--memory-limit', () => {
  it.each([
    ['4Gi', '4294967296'],
    ['1.5Gi', '1610612736'],
    ['2G', '2000000000'],
    ['500M', '500000000'],
    ['128974848k', '128974848000'],
    ['12e6', '12000000'],
    ['1Ei', '1152921504606846976'],
    ['1E', '1000000000000000000'],
    [4294967296, '4294967296'],
    // Dask would read megabytes.
    ['2500m', '3'],
    // Dask would read a fraction of the machine's memory, or no limit.
    ['1', 'auto'],
    ['0.5', 'auto'],
    ['1000n', 'auto'],
    ['0', 'auto'],
    ['-1', 'auto'],
    ['lots', 'auto'],
    [undefined, 'auto'],
  ])('for a memory limit of %j is %s', (memory, limit) => {
    expect(optionOf('--memory-limit', memory === undefined ? {} : { memory })).toBe(limit);
    expect(optionOf('--memory-limit')).toBe('auto');
  });
});

describe('leavesCommand', () => {
  it.each([
    [{}, true],
    [{ command: [], args: [] }, true],
    [{ command: null, args: null }, true],
    [{ command: ['x'] }, false],
    [{ args: ['x'] }, false],
  ])('of %j is %s', (container, leaves) => {
    expect(leavesCommand(container as Parameters<typeof leavesCommand>[0])).toBe(leaves);
  });
});
