import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      { test: { name: 'property', include: ['test/property/**/*.test.ts'], testTimeout: 60_000 } },
      {
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          globalSetup: ['test/support/control-plane.setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // One control plane serves every file; two files at a time is what two cores carry.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'dask',
          include: ['test/dask/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'demo',
          include: ['test/demo/**/*.test.ts'],
          globalSetup: ['test/support/bare-control-plane.setup.ts'],
        },
      },
    ],
  },
});
