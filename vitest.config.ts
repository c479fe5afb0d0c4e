import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Of the unit tests, by `--coverage`.
    coverage: {
      include: [
        'src/core/rules/**/*.ts',
        'src/core/{judge,ratchet,skeleton}.ts',
        'webhooks/{certificate-flags,clean-templates,cluster-review,clusters,configurations,connect}.ts',
        'webhooks/{decision,decision-log,pod-shape,pods,response,review,routes,scale-review}.ts',
      ],
      reporter: [['text', { skipFull: true }]],
      thresholds: { branches: 100, functions: 100, lines: 100, statements: 100 },
    },
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
          // One control plane serves every file. Most of their time is waiting, so three at a time keep two cores busy.
          maxWorkers: 3,
        },
      },
      {
        test: {
          name: 'fidelity',
          include: ['test/fidelity/**/*.test.ts'],
          globalSetup: ['test/support/oracle.setup.ts', 'test/support/control-plane.setup.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'endurance',
          include: ['test/endurance/**/*.test.ts'],
          globalSetup: ['test/support/control-plane.setup.ts'],
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
      { test: { name: 'fuzz', include: ['test/fuzz/**/*.test.ts'], testTimeout: 900_000, maxWorkers: 1 } },
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
